"""The equations, as functions of tensors: nothing in this package knows of AllenNLP."""
