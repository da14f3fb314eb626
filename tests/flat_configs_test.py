"""The configs that people open are flat. They equal what the shared pieces of the other configs give."""

import json

import _jsonnet
import pytest

from tests.conftest import ROOT
from tests.console.bundled_test import imports

SLSTM = "type: 'slstm', hidden_size: 300, num_steps:"
SHARED = {
    "pos_slstm": f"(import 'pos.libsonnet')({{ {SLSTM} 7 }})",
    "ner_slstm": f"(import 'ner.libsonnet')({{ {SLSTM} 9 }})",
    "mr_slstm": f"(import 'mr.libsonnet')({{ {SLSTM} 9 }})",
    "snli_cas_lstm": "(import 'snli.libsonnet')"
    "({ type: 'cas_lstm', hidden_size: 300, num_layers: 2, bidirectional: false })",
    "reviews_slstm": """(import 'reviews.libsonnet')({
        type: 'compose',
        seq2seq_encoder: { type: 'slstm', hidden_size: 100, num_steps: 5, transition: 'fastnlp' },
        seq2vec_encoder: { type: 'additive_attention' },
    })""",
    "tags_slstm": "(import 'tags.libsonnet').tags("
    "{ type: 'slstm', hidden_size: 150, num_steps: 5, transition: 'balanced' })",
}


def test_the_others_say_in_their_first_line_how_to_see_them_whole():
    for path in (ROOT / "training_config").glob("*.jsonnet"):
        first, *_ = path.read_text(encoding="utf-8").splitlines()
        assert (first == f"// To see this config whole: slstm config {path.stem}") == bool(imports(path))


@pytest.mark.parametrize("name", SHARED)
def test_a_flat_config_equals_the_shared_pieces(name):
    folder = ROOT / "training_config"
    text = (folder / f"{name}.jsonnet").read_text(encoding="utf-8")
    assert "import" not in text
    shared = _jsonnet.evaluate_snippet(str(folder / "shared.jsonnet"), SHARED[name])
    assert json.loads(_jsonnet.evaluate_snippet(name, text)) == json.loads(shared)
