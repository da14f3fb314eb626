import torch
from torch import Tensor

from slstm_allennlp.ops.coupled_lstm.weights import CoupledLstmWeights


def naive_coupled_lstm(inputs: Tensor, weights: CoupledLstmWeights) -> Tensor:
    """
    Run one layer on one sentence, word by word, literally as in Eq. 1, which
    `slstm_allennlp.modules.CoupledLSTM` shows. This is the reference that the tests compare the fast
    version with. The inputs are (seq_len, input_size), the weights those of D directions: forward, or
    forward and backward. Return the words' states, the directions concatenated, (seq_len, D * h).
    """
    directions = []
    for direction, (W, U, b, h, c) in enumerate(zip(*weights)):
        states = {}
        words = range(len(inputs))
        for t in words if direction == 0 else reversed(words):
            x = inputs[t]
            i_hat, f_hat, o = (torch.sigmoid(W[gate] @ x + U[gate] @ h + b[gate]) for gate in range(3))
            u = torch.tanh(W[3] @ x + U[3] @ h + b[3])
            i, f = torch.softmax(torch.stack([i_hat, f_hat]), dim=0)
            c = f * c + i * u
            h = o * torch.tanh(c)
            states[t] = h
        directions.append(torch.stack([states[t] for t in words]))
    return torch.cat(directions, dim=-1)
