from typing import List, Optional

import torch
from allennlp.training import GradientDescentTrainer, Trainer
from torch.cuda.amp.grad_scaler import OptState
from torch.nn.utils import clip_grad_norm_, clip_grad_value_


@Trainer.register("gradient_descent", constructor="from_partial_objects", exist_ok=True)
class SparseClippingTrainer(GradientDescentTrainer):
    """
    AllenNLP's trainer, with clipping for sparse gradients, which embeddings with `sparse: true` have:
    `grad_norm` fails on them with a current PyTorch, `grad_clipping` with any.

    Registered as a `Trainer` with name "gradient_descent", the default, in AllenNLP's place and with its
    parameters.
    """

    def rescale_gradients(self) -> Optional[float]:
        """Scales the gradients down to `grad_norm` and returns the norm that they had."""
        if isinstance(self._grad_norm, bool) or not self._has_sparse_gradients():
            return super().rescale_gradients()
        self._unscale()
        return clip_grad_norm_(self._with_dense_gradients(), self._grad_norm).item()

    def clip_gradient(self) -> None:
        """Clips each gradient's elements to plus or minus `grad_clipping`."""
        if self._grad_clipping is None or not self._has_sparse_gradients():
            super().clip_gradient()
            return
        self._unscale()
        clip_grad_value_(self._with_dense_gradients(), self._grad_clipping)

    def _unscale(self) -> None:
        """Takes the loss scale of mixed precision out of the gradients, once a step."""
        if self._scaler is None:
            return
        if self._scaler._per_optimizer_states[id(self.optimizer)]["stage"] is not OptState.UNSCALED:
            self._scaler.unscale_(self.optimizer)

    def _has_sparse_gradients(self) -> bool:
        return any(p.grad is not None and p.grad.is_sparse for p in self.model.parameters())

    def _with_dense_gradients(self) -> List[torch.Tensor]:
        """
        The parameters that have a gradient, those with a sparse one by a stand-in whose gradient is the
        sparse one's stored values: what is scaled there is scaled in the model.
        """
        parameters: List[torch.Tensor] = []
        for parameter in self.model.parameters():
            if parameter.grad is not None and parameter.grad.is_sparse:
                # A row that a batch has several times is stored as often: it counts as their sum.
                parameter.grad = parameter.grad.coalesce()
                values = parameter.grad.values()
                stand_in = torch.nn.Parameter(torch.empty_like(values))
                stand_in.grad = values
                parameters.append(stand_in)
            elif parameter.grad is not None:
                parameters.append(parameter)
        return parameters
