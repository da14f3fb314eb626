"""Models, readers, vocabularies and checkpoints of projects that do not know the plugin."""

import random
import shutil
from pathlib import Path

import pytest
import torch
from allennlp.commands.find_learning_rate import search_learning_rate
from allennlp.commands.train import train_model
from allennlp.common import Params
from allennlp.data import DatasetReader, Instance, Token, Vocabulary
from allennlp.data.fields import SequenceLabelField, TextField
from allennlp.data.token_indexers import SingleIdTokenIndexer
from allennlp.models import Model
from allennlp.training import GradientDescentTrainer, Trainer, TrainerCallback
from allennlp.training.metrics import SpanBasedF1Measure

from slstm_allennlp.training.trainer import ReliableTrainer
from tests.training.conftest import built, tagger_config


@DatasetReader.register("two_kinds_of_tags")
class TwoKindsOfTags(DatasetReader):
    """Two tags for each word, or the second ones alone. The lines are shuffled."""

    def __init__(self, is_swapped: bool = False, **kwargs):
        super().__init__(**kwargs)
        self._is_swapped = is_swapped

    def _read(self, file_path):
        lines = Path(file_path).read_text().splitlines()
        random.shuffle(lines)
        for line in lines:
            yield self.text_to_instance(*zip(*(item.split("/") for item in line.split())))

    def text_to_instance(self, words, pos, ner):
        text = TextField([Token(word) for word in words], {"tokens": SingleIdTokenIndexer()})
        if self._is_swapped:
            return Instance({"tokens": text, "tags": SequenceLabelField(list(ner), text, "labels")})
        tags = {"pos": SequenceLabelField(list(pos), text, "labels")}
        return Instance({"text": text, **tags, "ner": SequenceLabelField(list(ner), text, "ner")})


@Model.register("two_heads")
class TwoHeads(Model):
    """
    `num_tags` counts the tags of the second kind, of which there are fewer. The model draws random
    numbers, also in evaluation.
    """

    def __init__(self, vocab):
        super().__init__(vocab)
        self.num_tags = vocab.get_vocab_size("ner")
        self.weight = torch.nn.Parameter(torch.ones(vocab.get_vocab_size("labels")))
        self.f1 = SpanBasedF1Measure(vocab, "ner", label_encoding="BIOUL")

    def forward(self, text, pos, ner):
        return {"loss": (self.weight * pos.float().sum() + torch.rand(1)).square().sum()}


@pytest.fixture
def two_kinds(tmp_path):
    (tmp_path / "t.txt").write_text("Ada/NNP/U-PER works/VBZ/O\nit/PRP/O rains/VBZ/O a/DT/O lot/NN/O\n")
    config = tagger_config(tmp_path / "t.txt", dataset_reader={"type": "two_kinds_of_tags"})
    return {**config, "model": {"type": "two_heads"}}


ENCODER = torch.nn.Embedding(3, 4)


@pytest.mark.parametrize(
    "attributes", [{}, {"_num_labels": 1}, {"label_encoding": "one-hot"}, {"label_encoding": ENCODER}]
)
def test_tags_of_two_kinds_and_names_that_mean_something_else(
    two_kinds, tmp_path, monkeypatch, attributes
):
    """
    The tags of the first kind are not checked by the encoding or the number of the second one, nor by
    attributes of these names that are something else: one output for two classes, no encoding of tags.
    """
    for name, value in attributes.items():
        monkeypatch.setattr(TwoHeads, name, value, raising=False)
    train_model(Params(two_kinds), str(tmp_path / "run"))
    assert (tmp_path / "run" / "model.tar.gz").exists()


@Trainer.register("of_allennlp", constructor="from_partial_objects")
class OfAllenNlp(GradientDescentTrainer):
    pass


@pytest.mark.parametrize("encoding", [None, "BIOUL"])
def test_random_numbers_of_a_reader(two_kinds, tmp_path, encoding):
    """A reader that is read in each epoch, and the training, have those of AllenNLP's trainer."""
    two_kinds["data_loader"] = {"batch_size": 1, "max_instances_in_memory": 1}
    if encoding is not None:
        two_kinds["dataset_reader"]["is_swapped"] = True
        two_kinds["model"] = tagger_config("")["model"]
        two_kinds["model"].update(type="crf_tagger", label_encoding=encoding)
        two_kinds["model"]["text_field_embedder"]["token_embedders"]["tokens"]["type"] = "embedding"
    drawn = []
    for name, kind in (("gradient_descent", ReliableTrainer), ("of_allennlp", OfAllenNlp)):
        own = {"a_key_of_its_own": 1} if kind is OfAllenNlp else {}  # which is no unknown one
        trainer = {**two_kinds["trainer"], "type": name, **own}
        random.seed(1)
        torch.manual_seed(1)
        training = built({**two_kinds, "trainer": trainer}, tmp_path / name)
        assert type(training.trainer) is kind
        drawn.append((random.random(), torch.rand(1).item()))
    assert drawn[0] == drawn[1]


def test_a_vocabulary_of_files_stays_as_it_is(tmp_path):
    """A model that is trained further has the labels of its weights."""
    (tmp_path / "t.txt").write_text("Ada###U-PER works###O\n")
    vocab = Vocabulary.empty()
    vocab.add_tokens_to_namespace(["O", "U-PER"], "labels")
    vocab.add_tokens_to_namespace(["Ada", "works"], "tokens")
    vocab.save_to_files(str(tmp_path / "kept"))
    sizes, files = [], {"directory": str(tmp_path / "kept")}
    for name, keys in (("from_files", files), ("extend", files), ("from_instances", {})):
        config = tagger_config(tmp_path / "t.txt", vocabulary={"type": name, **keys})
        config["model"].update(type="crf_tagger", label_encoding="BIOUL")
        model = train_model(Params(config), str(tmp_path / name))
        sizes.append(model.vocab.get_vocab_size("labels"))
    assert sizes == [2, 5, 5]


def test_words_in_another_order_go_on(run, killed):
    """Loader workers give words that are as frequent as others in any order."""
    file = killed(5) / "vocabulary/tokens.txt"
    first, *words = file.read_text().splitlines()
    file.write_text("\n".join([first, *words[::-1], ""]))
    before = file.read_bytes()
    model, _ = run("killed", recover=True)
    assert file.read_bytes() == before and model["model"]


@TrainerCallback.register("counts_batches")
class CountsBatches(TrainerCallback):
    number = 0

    def on_batch(self, *args, is_training=True, **kwargs):
        self.number += is_training

    def state_dict(self):
        return {"number": self.number}

    def load_state_dict(self, state_dict):
        self.number = state_dict["number"]


def test_the_state_of_callbacks_in_a_checkpoint_of_allennlp(run, tmp_path, killed, monkeypatch):
    """AllenNLP's trainer writes the states of callbacks without that of `RunState`, the first one."""
    path = killed(6, callbacks=["counts_batches"]) / "training_state_e1_b0.th"
    state = torch.load(path)
    first, *state["callbacks"] = state["callbacks"]
    assert "starts" in first and state["callbacks"][0] == {"number": 4}
    torch.save(state, path)
    numbers, load = [], CountsBatches.load_state_dict

    def counted(self, state):
        load(self, state)
        numbers.append(self.number)

    monkeypatch.setattr(CountsBatches, "load_state_dict", counted)
    run("killed", recover=True, callbacks=["counts_batches"])
    # A trainer of another project has the states as they are.
    shutil.rmtree(tmp_path / "killed")
    killed(6, type="of_allennlp", callbacks=["counts_batches"])
    run("killed", recover=True, type="of_allennlp", callbacks=["counts_batches"])
    assert numbers == [4, 4]


def test_a_training_in_python_has_no_config_file(two_kinds, tmp_path):
    training = built(two_kinds, tmp_path / "run")
    training.finish(training.run())
    assert "# two_heads" in (tmp_path / "run/model_card.md").read_text()


def test_rates_that_are_too_high_are_found(two_kinds, tmp_path):
    """`find-lr` goes on to losses that are infinite or NaN."""
    two_kinds["trainer"]["optimizer"] = {"type": "sgd", "lr": 1.0}
    trainer = built(two_kinds, tmp_path / "run").trainer
    rates, losses = search_learning_rate(trainer, 1e-2, 1e30, num_batches=60)
    assert len(rates) == len(losses) > 5 and not torch.tensor(losses).isfinite().all()
