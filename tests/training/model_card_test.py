import csv
import json
from importlib import metadata
from pathlib import Path

import pytest
from allennlp.models import load_archive

import slstm_allennlp
from slstm_allennlp.training import model_card
from slstm_allennlp.version import __version__
from tests.conftest import ROOT


def test_the_version():
    assert slstm_allennlp.__version__ == __version__ == metadata.version("slstm-allennlp")


def test_the_card_of_a_tagger(tagger):
    card = (tagger / "model_card.md").read_text(encoding="utf-8")
    assert "\n# crf_tagger: slstm (paper)\n\n- model: `crf_tagger`, " in card
    for expected in (
        *(" labels: `", " to train, ", "- It was not tested.", '"type": "tagged_text"', "- command: `"),
        '- encoder: `{"hidden_size": 10, "input_size": 60, "num_steps": 7, "type": "slstm"}`',
        "- train_data_path: `fixtures/pos/train.conllu`",
        "- test_data_path: `fixtures/pos/test.conllu`",
        f"- versions: slstm-allennlp {__version__}, AllenNLP 2.",
        f"- to use it: `slstm predict {tagger}/model.tar.gz FILE`",
        f"- to cite it: slstm-allennlp {__version__}; Zhang, Liu and Song: ",
        "| best_validation_accuracy | 0.",
        f"| best_epoch | {json.loads((tagger / 'metrics.json').read_text())['best_epoch'] + 1} |",
    ):
        assert expected in card, card


def test_the_metrics_of_all_epochs(tagger):
    with (tagger / "metrics_by_epoch.csv").open() as table:
        rows = list(csv.DictReader(table))
    last = json.loads((tagger / f"metrics_epoch_{len(rows) - 1}.json").read_text())
    assert rows[-1] == {key: str(value) for key, value in last.items()}
    assert len(rows) == last["epoch"] + 1


@pytest.mark.parametrize(
    "folder, task, part, metric",
    [
        ("classifier", "text-classification", "test", "accuracy"),
        ("pair_classifier", "text-classification", "test", "accuracy"),
        ("entity_tagger", "token-classification", "validation", "f1"),
    ],
)
def test_the_scores_and_the_head_that_the_hub_reads(folder, task, part, metric, request):
    folder = request.getfixturevalue(folder)
    card = (folder / "model_card.md").read_text(encoding="utf-8")
    assert ("| test_accuracy | 0." in card) == ("It was not tested" not in card) == (part == "test")
    no_cards = "this huggingface_hub has no cards"
    data = pytest.importorskip("huggingface_hub.repocard", reason=no_cards).ModelCard(card).data
    assert (data.library_name, data.pipeline_tag, data.license) == ("allennlp", task, "unknown")
    assert {"allennlp", "slstm-allennlp", "slstm (paper)"} <= set(data.tags)
    first = data.eval_results[0]
    assert (first.task_type, first.dataset_split, first.metric_type) == (task, part, metric)
    config = json.loads((folder / "config.json").read_text())
    assert first.dataset_name == Path(config[f"{part}_data_path"]).name
    metrics = json.loads((folder / "metrics.json").read_text())
    assert first.metric_value in metrics.values()


def test_the_head_has_the_score_of_the_archived_weights(entity_tagger):
    archive = load_archive(entity_tagger / "model.tar.gz")
    metrics = {"validation_accuracy": 0.5, "best_validation_accuracy": 0.9, "best_validation_loss": 0.3}
    config = archive.config.as_dict(quiet=True)
    config["trainer"]["validation_metric"] = "-loss"
    head = model_card._head("", config, archive.model, metrics)
    assert [each["value"] for each in head["model-index"][0]["results"][0]["metrics"]] == [0.9]


def test_the_licences_of_what_is_pretrained():
    model = {"a": {"vectors": "en_core_web_md"}, "b": {"model_name": "mine"}, "vectors": None}
    assert list(model_card._pretrained(model)) == ["en_core_web_md", "mine"]
    requirements = (ROOT / "requirements-vectors.txt").read_text()
    assert all(f'"{name}"' in requirements for name in model_card._LICENCES)
