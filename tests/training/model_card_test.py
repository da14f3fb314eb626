import csv
import json
from importlib import metadata

import slstm_allennlp
from slstm_allennlp.version import __version__


def test_the_version():
    assert slstm_allennlp.__version__ == __version__ == metadata.version("slstm-allennlp")


def test_the_card_of_a_tagger(tagger):
    card = (tagger / "model_card.md").read_text(encoding="utf-8")
    assert card.startswith("# crf_tagger: slstm (paper)\n\n- model: `crf_tagger`, ")
    for expected in (
        '- encoder: `{"hidden_size": 10, "input_size": 60, "num_steps": 7, "type": "slstm"}`',
        "- train_data_path: `fixtures/pos/train.conllu`",
        "- test_data_path: `fixtures/pos/test.conllu`",
        '"type": "tagged_text"',
        f"- versions: slstm-allennlp {__version__}, AllenNLP 2.",
        "- command: `",
        f"- to use it: `slstm predict {tagger}/model.tar.gz FILE`",
        f"- to cite it: slstm-allennlp {__version__}; Zhang, Liu and Song: ",
        "| best_validation_accuracy | 0.",
    ):
        assert expected in card, card


def test_the_metrics_of_all_epochs(tagger):
    with (tagger / "metrics_by_epoch.csv").open() as table:
        rows = list(csv.DictReader(table))
    last = json.loads((tagger / f"metrics_epoch_{len(rows) - 1}.json").read_text())
    assert (
        rows[-1] == {key: str(value) for key, value in last.items()} and len(rows) == last["epoch"] + 1
    )


def test_the_card_has_the_test_metrics(classifier):
    card = (classifier / "model_card.md").read_text(encoding="utf-8")
    assert "| test_accuracy | 0." in card and "slstm (paper)" in card.splitlines()[0]
