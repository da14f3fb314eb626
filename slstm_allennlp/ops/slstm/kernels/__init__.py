"""The elementwise part of the S-LSTM's steps: `eager` on any device, cpu.cpp compiled."""
