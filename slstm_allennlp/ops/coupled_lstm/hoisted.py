import torch
from torch import Tensor

from slstm_allennlp.ops.coupled_lstm.weights import CoupledLstmWeights
from slstm_allennlp.ops.reading_order import reading_orders, take


def hoisted_coupled_lstm(
    inputs: Tensor,  # (batch_size, seq_len, input_size)
    mask: Tensor,  # (batch_size, seq_len), boolean, padded on the right
    weights: CoupledLstmWeights,  # of D directions: forward, or forward and backward
) -> Tensor:
    """
    Run one layer on a batch. Return the words' states, (batch_size, seq_len, D * hidden_size), the
    directions concatenated, zero at padding. The equations are those of `naive_coupled_lstm`. W x + b of
    all words is one product before the loop, and all directions share the loop.
    """
    batch_size, length, _ = inputs.shape
    directions, _, hidden_size, _ = weights.W.shape
    order = reading_orders(mask, directions)

    # W x + b: (D, B * L, 4h), then in reading order, (L, D, B, 4h)
    projected = torch.baddbmm(
        weights.b.flatten(1).unsqueeze(1),
        inputs.masked_fill(~mask.unsqueeze(-1), 0)
        .reshape(1, -1, inputs.size(-1))
        .expand(directions, -1, -1),
        weights.W.flatten(1, 2).transpose(1, 2),
    ).view(directions, batch_size, length, 4 * hidden_size)
    projected = take(projected, order).permute(2, 0, 1, 3)

    U = weights.U.flatten(1, 2).transpose(1, 2)
    h = weights.initial_h.unsqueeze(1).expand(-1, batch_size, -1)
    c = weights.initial_c.unsqueeze(1).expand(-1, batch_size, -1)
    states = []
    for x in projected.unbind():
        gates, candidate = torch.baddbmm(x, h, U).split([3 * hidden_size, hidden_size], dim=-1)
        i_hat, f_hat, o = torch.sigmoid(gates).chunk(3, dim=-1)
        i = torch.sigmoid(i_hat - f_hat)  # the softmax over two values; f = 1 - i
        c = c + i * (torch.tanh(candidate) - c)
        h = o * torch.tanh(c)
        states.append(h)
    # From (D, B, L, h) in reading order to (B, L, D * h) in sentence order.
    words = take(torch.stack(states, dim=2), order).permute(1, 2, 0, 3).flatten(2)
    return words.masked_fill(~mask.unsqueeze(-1), 0)
