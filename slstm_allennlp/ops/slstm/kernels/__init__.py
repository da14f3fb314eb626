"""The elementwise part of the S-LSTM's steps: eager.py in PyTorch, cpu.cpp for CPUs, gpu/ in Triton."""
