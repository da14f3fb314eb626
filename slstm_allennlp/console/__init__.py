"""The commands of the program `slstm` that need AllenNLP."""
