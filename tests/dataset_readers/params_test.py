"""`to_params` of readers and tokenizers returns the arguments that `from_params` was given."""

import pytest
from allennlp.common import Params
from allennlp.data import DatasetReader
from allennlp.data.tokenizers import Tokenizer

INLINE = {"format": "inline", "separator": "_", "label_namespace": "pos_labels"}
WHOLE = {"language": "de", "split_contractions": False, "split_hyphens": False}


@pytest.mark.parametrize(
    "role, params",
    [
        (DatasetReader, {"type": "conll_ner", "coding_scheme": "IOB2"}),
        (DatasetReader, {"type": "movie_review", "seed": 3, "folds": 5, "fold": 4, "encoding": "utf-8"}),
        (DatasetReader, {"type": "penn_treebank_pos"}),
        (DatasetReader, {"type": "table", "text": "body", "columns": ["body", "x"], "quoting": False}),
        (DatasetReader, {"type": "tagged_text", "format": "columns", "tag_column": 3, "comment": "# "}),
        (DatasetReader, {"type": "review", "dataset": "toys", "dev_size": 7}),
        (DatasetReader, {"type": "tagged_text", **INLINE}),
        (Tokenizer, {"type": "spacy_blank", **WHOLE}),
    ],
    ids=str,
)
def test_params_round_trip(role, params):
    first = role.from_params(Params(dict(params))).to_params()
    again = role.from_params(first.duplicate()).to_params().as_dict(quiet=True)
    assert again == first.as_dict(quiet=True)
    assert {key: again[key] for key in params} == params
