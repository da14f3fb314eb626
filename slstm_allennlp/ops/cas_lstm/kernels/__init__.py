"""The steps of a CAS-LSTM layer: `eager` on any device, cpu.cpp compiled."""
