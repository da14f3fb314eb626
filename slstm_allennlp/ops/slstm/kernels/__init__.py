"""The elementwise part of the S-LSTM's steps: `eager` anywhere, cpu.cpp compiled, gpu/ by Triton."""
