"""Translation, from a config to BLEU, on the bundled sentences."""

import json
import sys

import pytest
from allennlp.commands.train import train_model_from_file
from allennlp.common import Params
from allennlp.training.metrics import Metric
from sacrebleu.metrics import BLEU

from tests.conftest import ROOT, run_program

TEST = "fixtures/translation/test.tsv"
SMALL = """{
  size:: 10,
  trainer+: { num_epochs: 2 },
  model+: { decoder+: { beam_search: { beam_size: 2, max_steps: 9 } } },
}"""


@pytest.fixture(scope="module", params=["cas_lstm", "lstm"])
def archive(request, shared):
    config = f"translation_{request.param}"

    def fill(folder):
        path = folder / "small.jsonnet"
        path.write_text(f"(import '{ROOT}/training_config/{config}.jsonnet') + {SMALL}")
        train_model_from_file(str(path), str(folder / "run"))

    return shared(config, fill) / "run" / "model.tar.gz"


def predict(allennlp, archive, source, output, *options):
    allennlp("predict", archive, source, "--output-file", output, "--silent", *options)
    return [json.loads(line)["predicted_tokens"] for line in output.read_text().splitlines()]


def bleu(*files):
    return run_program([sys.executable, "experiments/bleu.py", *map(str, files)])


def test_predictions_and_their_bleu(allennlp, archive, tmp_path):
    """The corpus and its source sentences give the same translations in the same order."""
    pairs = [line.split("\t") for line in (ROOT / TEST).read_text().splitlines()]
    (tmp_path / "raw.jsonl").write_text("".join(json.dumps({"source": s}) + "\n" for s, _ in pairs))
    columns, raw = tmp_path / "columns.jsonl", tmp_path / "translated.jsonl"
    beam = ["--overrides", '{"model.decoder.beam_search.beam_size": 3}']
    options = ["--use-dataset-reader", "--batch-size", "7", *beam]
    tokens = predict(allennlp, archive, TEST, columns, *options)
    assert tokens == predict(allennlp, archive, tmp_path / "raw.jsonl", raw, *beam)
    assert len(tokens) == len(pairs)
    texts, references = [" ".join(t) for t in tokens], [reference for _, reference in pairs]
    expected = BLEU(tokenize="none", force=True).corpus_score(texts, [references]).score
    assert bleu(columns, TEST).stdout.startswith(f"{expected:.2f} BLEU on the text as it is, nrefs:1|")
    # The training
    metrics = json.loads((archive.parent / "metrics.json").read_text())
    assert 0 <= metrics["best_validation_BLEU"] <= 1
    epochs = [json.loads((archive.parent / f"metrics_epoch_{n}.json").read_text()) for n in (0, 1)]
    assert epochs[1]["training_loss"] < epochs[0]["training_loss"]


def test_bleu_joins_pieces_of_words(tmp_path):
    predictions, references = tmp_path / "predictions", tmp_path / "references"
    tokens = ["the", "hou@@", "se", "@@UNKNOWN@@", "is", "o@@", "ld@@"]
    predictions.write_text(json.dumps({"predicted_tokens": tokens}) + "\n")
    references.write_text("das haus\tthe house @@UNKNOWN@@ i@@ s old\n")
    assert bleu(predictions, references).stdout.startswith("100.00 BLEU on the text as it is")
    # It wants a reference for every prediction.
    (tmp_path / "predictions").write_text('{"predicted_tokens": ["a"]}\n')
    found = bleu(tmp_path / "predictions", TEST)
    assert found.returncode == 1 and not found.stdout
    assert "predictions has 1 lines and fixtures/translation/test.tsv has 50, expected" in found.stderr


def test_token_bleu_is_sacrebleus():
    metric = Metric.from_params(Params({"type": "token_bleu"}))
    predictions = ["a b c d e f", "a b", "", "c d e x y b a c"]
    references = ["a b c d x f", "b a", "d", "c d e x b a c y y"]
    for n in (0, 2):  # in two batches
        metric(*([text.split() for text in texts[n : n + 2]] for texts in (predictions, references)))
    expected = BLEU(tokenize="none", force=True).corpus_score(predictions, [references]).score
    assert 100 * metric.get_metric(reset=True)["BLEU"] == pytest.approx(expected)
    assert metric.get_metric() == {"BLEU": 0}
    metric([[]], [[]])
    assert metric.get_metric() == {"BLEU": 0}
