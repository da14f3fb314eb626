"""
Workers, forked or spawned, read every sentence once, with AllenNLP's readers and with ours. A spawned
worker takes seconds to import everything: `make test` has one, in changes_test.py.
"""

import pytest
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.data.data_loaders import DataLoader

from tests.conftest import slow_but

READERS = {
    "sequence_tagging": "the###D dog###N barks###V\na###D cat###N sleeps###V\nit###P runs###V\n",
    "tagged_text": "the/D dog/N barks/V\na/D cat/N sleeps/V\nit/P runs/V\n",
}


@pytest.mark.parametrize(
    "reader, start_method, max_instances_in_memory",
    [
        ("tagged_text", "fork", None),
        ("sequence_tagging", "fork", 2),
        pytest.param("tagged_text", "spawn", 2, marks=pytest.mark.slow),
        pytest.param("sequence_tagging", "spawn", None, marks=pytest.mark.slow),
    ],
)
def test_workers(tmp_path, reader, start_method, max_instances_in_memory):
    path = tmp_path / "sentences.txt"
    path.write_text(READERS[reader])
    params = {"type": reader, "format": "inline"} if reader == "tagged_text" else {"type": reader}
    loader = DataLoader.from_params(
        Params(
            {
                "batch_size": 2,
                "num_workers": 2,
                "start_method": start_method,
                "max_instances_in_memory": max_instances_in_memory,
            }
        ),
        reader=DatasetReader.from_params(Params(params)),
        data_path=str(path),
    )
    instances = list(loader.iter_instances())
    last_words = [instance["tokens"].tokens[-1].text for instance in instances]
    assert sorted(last_words) == ["barks", "runs", "sleeps"]
    if max_instances_in_memory is None:
        loader.index_with(Vocabulary.from_instances(instances))
        assert sum(len(batch["tags"]) for batch in loader) == 3


@pytest.mark.parametrize("start_method", slow_but(("fork", "spawn"), fast=("fork",)))
def test_multitask_workers(tmp_path, start_method):
    path = tmp_path / "sentences.txt"
    path.write_text(READERS["tagged_text"])
    reader = {"type": "multitask", "readers": {"pos": {"type": "tagged_text", "format": "inline"}}}
    loader = DataLoader.from_params(
        Params(
            {
                "type": "multitask",
                "scheduler": {"batch_size": 2},
                "num_workers": {"pos": 1},
                "start_method": {"pos": start_method},
            }
        ),
        reader=DatasetReader.from_params(Params(reader)),
        data_path={"pos": str(path)},
    )
    last_words = [instance["tokens"].tokens[-1].text for instance in loader.iter_instances()]
    assert sorted(last_words) == ["barks", "runs", "sleeps"]
