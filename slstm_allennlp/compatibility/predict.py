from typing import Iterator

from allennlp.commands.predict import _PredictManager
from allennlp.common.util import JsonDict

from slstm_allennlp.compatibility.changes import replace
from slstm_allennlp.predictors.examples import read_examples
from slstm_allennlp.predictors.text_input import TextInput

_get_json_data = _PredictManager._get_json_data
_COMPRESSED = (".gz", ".bz2", ".lzma", ".xz")


def predict_what_is_trained_on() -> None:
    """
    Has `allennlp predict` give the plugin's predictors everything that their models can be trained on,
    and plain text, where AllenNLP takes JSON objects alone. Other predictors have what they had.
    """
    replace(_PredictManager, "_get_json_data", _examples)


def _examples(self: _PredictManager) -> Iterator[JsonDict]:
    is_ours = isinstance(self._predictor, TextInput) and not self._input_file.endswith(_COMPRESSED)
    return read_examples(self._input_file, self._predictor) if is_ours else _get_json_data(self)
