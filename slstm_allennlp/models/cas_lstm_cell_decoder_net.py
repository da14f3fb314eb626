from typing import Dict, List, Optional, Tuple, Union

import torch
from allennlp.modules import Attention
from allennlp.nn import util
from allennlp_models.generation.modules.decoder_nets import DecoderNet
from torch import Tensor
from torch.nn import Dropout, Linear, ModuleList

from slstm_allennlp.common.arguments import check_sizes
from slstm_allennlp.encoders.module_encoder import errors_of
from slstm_allennlp.modules.cell_aware_stacked_lstm import (
    CellAwareStackedLSTM,
    CellAwareStackedLSTMLayer,
)
from slstm_allennlp.ops.cas_lstm import CasLstmStates, CasLstmWeights, cas_lstm_step
from slstm_allennlp.ops.cas_lstm.hoisted import project, recurrent_weights


@DecoderNet.register("cas_lstm_cell")
class CasLstmCellDecoderNet(DecoderNet):
    """
    A decoder with several layers of CAS-LSTM or LSTM cells, and attention. AllenNLP's `lstm_cell` has a
    single layer of LSTM cells. The initial h of every layer is the encoder's final state, and the
    initial c is zero, because AllenNLP's encoders return the states of their last layer only.
    `ConfigurationError` for a value out of range.

    # Parameters

    decoding_dim : `int`
        The size of every layer's states. It must be the encoder's output size.
    target_embedding_dim : `int`
        The size of the target words' embeddings.
    attention : `Attention`, optional (default = `None`)
        The attention from the top layer's state (the query) to the encoder's outputs. Both have size
        `decoding_dim`.
    bidirectional_input : `bool`, optional (default = `False`)
        Whether the encoder is bidirectional. Its final state then joins the last forward and the first
        backward state.
    num_layers : `int`, optional (default = `2`)
    fusion : `float` or `str`, optional (default = `0.5`)
        As in `slstm_allennlp.modules.CellAwareStackedLSTM`; None for a stack of ordinary LSTMs, without
        the gate g, for comparison.
    dropout : `float`, optional (default = `0.0`)
        The dropout rate on every layer's inputs and on the output.
    input_feeding : `bool`, optional (default = `True`)
        True, as in Luong et al. (2015): the query is the new state h, the output is
        h̃ = tanh(W [context ; h]), and the first layer reads [h̃ of the last word ; next word].
        False, as in `lstm_cell`: the query is the state before the word, the first layer reads
        [context ; word], and the output is h. Without attention, it has no effect.
    """

    def __init__(
        self,
        decoding_dim: int,
        target_embedding_dim: int,
        attention: Optional[Attention] = None,
        bidirectional_input: bool = False,
        num_layers: int = 2,
        fusion: Union[float, str, None] = 0.5,
        dropout: float = 0.0,
        input_feeding: bool = True,
    ) -> None:
        # In training, one call decodes all words of a target, so that the model projects all states to
        # the vocabulary in one matrix product.
        super().__init__(decoding_dim, target_embedding_dim, decodes_parallel=True)
        with errors_of("cas_lstm_cell"):
            check_sizes(decoding_dim=decoding_dim, target_embedding_dim=target_embedding_dim)
            input_size = target_embedding_dim + (0 if attention is None else decoding_dim)
            stack = CellAwareStackedLSTM(
                input_size,
                decoding_dim,
                num_layers,
                fusion=0.5 if fusion is None else fusion,
                dropout=dropout,
            )
        self._layers = stack.layers
        if fusion is None:  # the first layer of a CAS-LSTM is an ordinary LSTM
            sizes = [input_size, *[decoding_dim] * (num_layers - 1)]
            self._layers = ModuleList(
                CellAwareStackedLSTMLayer(1, size, decoding_dim, None) for size in sizes
            )
        self._attention = attention
        self._bidirectional_input = bidirectional_input
        self._dropout = Dropout(dropout)
        self._combine: Optional[Linear] = None
        if attention is not None and input_feeding:
            self._combine = Linear(2 * decoding_dim, decoding_dim, bias=False)

    def init_decoder_state(self, encoder_out: Dict[str, Tensor]) -> Dict[str, Tensor]:  # type: ignore
        """
        Return the state before the first word: `decoder_states` and `decoder_cells`, (batch_size,
        num_layers, decoding_dim), `decoder_feed`, the last output, (batch_size, decoding_dim), and
        `decoder_steps`, the number of words read so far, (batch_size,). The keys differ from those of
        `lstm_cell`, for which AllenNLP's beam search expects the layers in the first dimension.
        """
        final = util.get_final_encoder_states(
            encoder_out["encoder_outputs"],
            encoder_out["source_mask"],  # type: ignore[arg-type]
            bidirectional=self._bidirectional_input,
        )
        states = final.unsqueeze(1).repeat(1, len(self._layers), 1)
        return {
            "decoder_states": states,
            "decoder_cells": torch.zeros_like(states),
            "decoder_feed": torch.zeros_like(final),
            "decoder_steps": torch.zeros_like(final[:, 0], dtype=torch.long),
        }

    def forward(  # type: ignore[override]
        self,
        previous_state: Dict[str, Tensor],
        encoder_outputs: Tensor,
        source_mask: Tensor,
        previous_steps_predictions: Tensor,
        previous_steps_mask: Optional[Tensor] = None,
    ) -> Tuple[Dict[str, Tensor], Tensor]:
        """
        Decode the words that `previous_state` has not read yet. The encoder's outputs are (group_size,
        source_len, decoding_dim), the predictions are the embeddings of all words so far, (group_size,
        num_steps, target_embedding_dim). Their mask is not used: padding follows the words. Return the
        new state, and the output for every new word, (group_size, num_new_steps, decoding_dim).
        """
        weights: List[CasLstmWeights] = [layer.weights for layer in self._layers]  # type: ignore[misc]
        cells = [(w, recurrent_weights(w)) for w in weights]
        words = previous_steps_predictions[:, int(previous_state["decoder_steps"][0]) :]
        states = _by_layer(previous_state["decoder_states"], previous_state["decoder_cells"])
        feed = previous_state["decoder_feed"]
        outputs = []
        for word in words.unbind(1):
            if self._combine is not None:
                states = self._step(torch.cat([feed, word], dim=-1), states, cells)
                h = states[-1].h[0]
                context = self._attend(h, encoder_outputs, source_mask)
                feed = torch.tanh(self._combine(torch.cat([context, h], dim=-1)))
            else:
                if self._attention is not None:
                    context = self._attend(states[-1].h[0], encoder_outputs, source_mask)
                    word = torch.cat([context, word], dim=-1)
                states = self._step(word, states, cells)
                feed = states[-1].h[0]
            outputs.append(feed)
        state = {
            "decoder_states": torch.cat([s.h for s in states]).transpose(0, 1),
            "decoder_cells": torch.cat([s.c for s in states]).transpose(0, 1),
            "decoder_feed": feed,
            "decoder_steps": previous_state["decoder_steps"] + len(outputs),
        }
        return state, self._dropout(torch.stack(outputs, dim=1))

    def _step(
        self, x: Tensor, states: List[CasLstmStates], cells: List[Tuple[CasLstmWeights, Tensor]]
    ) -> List[CasLstmStates]:
        """Run one step of all layers. x is the input of the first, (group_size, input_size)."""
        result: List[CasLstmStates] = []
        for previous, (weights, U) in zip(states, cells):
            c_below = None if weights.is_first else result[-1].c
            projected = project(self._dropout(x)[None, None], weights)[:, 0]
            result.append(cas_lstm_step(projected, previous.h, previous.c, c_below, U, weights))
            x = result[-1].h[0]
        return result

    def _attend(self, query: Tensor, encoder_outputs: Tensor, source_mask: Tensor) -> Tensor:
        """Return the context: outputs weighted by attention. *Shape:* (group_size, decoding_dim)"""
        assert self._attention is not None
        return util.weighted_sum(encoder_outputs, self._attention(query, encoder_outputs, source_mask))


def _by_layer(states: Tensor, cells: Tensor) -> List[CasLstmStates]:
    """Split (group_size, num_layers, h) into (1, group_size, h) per layer, for `cas_lstm_step`."""
    pairs = zip(states.unsqueeze(0).unbind(2), cells.unsqueeze(0).unbind(2))
    return [CasLstmStates(h, c, None, None) for h, c in pairs]
