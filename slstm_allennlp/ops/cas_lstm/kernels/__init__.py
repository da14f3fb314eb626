"""The steps of a CAS-LSTM layer: eager.py in PyTorch for any device, cpu.cpp compiled for CPUs."""
