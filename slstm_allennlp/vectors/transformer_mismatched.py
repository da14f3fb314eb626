from typing import Any, Optional

from allennlp.modules.token_embedders import PretrainedTransformerMismatchedEmbedder, TokenEmbedder


@TokenEmbedder.register("pretrained_transformer_mismatched", exist_ok=True)
class EvalModeMismatchedEmbedder(PretrainedTransformerMismatchedEmbedder):
    """
    AllenNLP's embedder with its parameters, and the `eval_mode` of its `pretrained_transformer`. Without
    `eval_mode`, dropout is active in training even if the transformer's parameters are frozen.

    # Parameters

    eval_mode : `Optional[bool]`, optional (default = `False`)
        Whether the transformer is always in evaluation mode. If `None`, it is if `train_parameters` is
        false.
    """

    def __init__(
        self,
        model_name: str,
        *,
        eval_mode: Optional[bool] = False,
        train_parameters: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(model_name, train_parameters=train_parameters, **kwargs)
        # Its method `train` reads this. A trainer or a predictor calls `train` before anything else.
        self._matched_embedder.eval_mode = not train_parameters if eval_mode is None else eval_mode
