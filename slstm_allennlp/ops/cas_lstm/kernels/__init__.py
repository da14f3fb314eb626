"""The elementwise part of the CAS-LSTM's steps: `eager` on any device, `cpu` compiled."""
