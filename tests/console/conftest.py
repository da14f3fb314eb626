import json

import pytest

from tests.predictors.conftest import predictors  # noqa: F401  (a fixture)

CONFIG = {
    "dataset_reader": {"type": "text_classification_json", "tokenizer": {"type": "spacy_blank"}},
    "train_data_path": "train.jsonl",
    "validation_data_path": "dev.jsonl",
    "model": {
        "type": "basic_classifier",
        "text_field_embedder": {"token_embedders": {"tokens": {"embedding_dim": 8}}},
        "seq2vec_encoder": {"type": "slstm", "input_size": 8, "hidden_size": 10, "num_steps": 2},
    },
    "data_loader": {"batch_size": 8},
    "trainer": {"optimizer": "adam", "num_epochs": 3, "validation_metric": "+accuracy"},
}
CONFIG["model"]["seq2vec_encoder"]["transition"] = "balanced"


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """A user's folder: data and a config, and nothing of this project."""
    lines = [
        {"text": f"{word} film number {number}", "label": label}
        for number in range(6)
        for word, label in (("good", "yes"), ("bad", "no"))
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "train.jsonl").write_text(text)
    (tmp_path / "dev.jsonl").write_text(text)
    (tmp_path / "mine.json").write_text(json.dumps(CONFIG))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def changed(folder):
    """Write the config with other values. In their keys, `__` stands for a dot."""

    def change(**keys):
        config = json.loads(json.dumps(CONFIG))
        for key, value in keys.items():
            *path, last = key.split("__")
            part = config
            for name in path:
                part = part[name]
            part[last] = value
        (folder / "mine.json").write_text(json.dumps(config))

    return change
