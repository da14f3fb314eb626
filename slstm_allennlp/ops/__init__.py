"""The equations of the encoders, as functions of tensors, independent of AllenNLP."""
