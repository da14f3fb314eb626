"""
Workers, forked or spawned, read every sentence once, with AllenNLP's readers and with ours. A spawned
worker takes seconds to import everything: `make test` has one, in changes_test.py.
"""

import copy

import pytest
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.data.data_loaders import DataLoader

from tests.conftest import slow_but

SENTENCES = {
    "sequence_tagging": "the###D dog###N barks###V\na###D cat###N sleeps###V\nit###P runs###V\n",
    "tagged_text": "the/D dog/N barks/V\na/D cat/N sleeps/V\nit/P runs/V\n",
}


def loader_of(reader, data_path, **options):
    reader = DatasetReader.from_params(Params(copy.deepcopy(reader)))
    return DataLoader.from_params(Params(options), reader=reader, data_path=data_path)


def last_words(loader):
    return sorted(instance["tokens"].tokens[-1].text for instance in loader.iter_instances())


TAGGED = {"type": "tagged_text", "format": "inline"}


@pytest.mark.parametrize(
    "reader, start_method, max_instances_in_memory",
    [
        (TAGGED, "fork", None),
        ({"type": "sequence_tagging"}, "fork", 2),
        pytest.param(TAGGED, "spawn", 2, marks=pytest.mark.slow),
        pytest.param({"type": "sequence_tagging"}, "spawn", None, marks=pytest.mark.slow),
    ],
)
def test_workers(tmp_path, reader, start_method, max_instances_in_memory):
    path = tmp_path / "sentences.txt"
    path.write_text(SENTENCES[reader["type"]])
    options = {"num_workers": 2, "start_method": start_method}
    options["max_instances_in_memory"] = max_instances_in_memory
    loader = loader_of(reader, str(path), batch_size=2, **options)
    assert last_words(loader) == ["barks", "runs", "sleeps"]
    if max_instances_in_memory is None:
        loader.index_with(Vocabulary.from_instances(loader.iter_instances()))
        assert sum(len(batch["tags"]) for batch in loader) == 3


@pytest.mark.parametrize("start_method", slow_but(("fork", "spawn"), fast=("fork",)))
def test_multitask_workers(tmp_path, start_method):
    path = tmp_path / "sentences.txt"
    path.write_text(SENTENCES["tagged_text"])
    workers = {"num_workers": {"pos": 1}, "start_method": {"pos": start_method}}
    reader = {"type": "multitask", "readers": {"pos": TAGGED}}
    loader = loader_of(
        reader, {"pos": str(path)}, type="multitask", scheduler={"batch_size": 2}, **workers
    )
    assert last_words(loader) == ["barks", "runs", "sleeps"]
