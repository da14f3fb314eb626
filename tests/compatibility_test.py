"""
Workers that are not forked read every sentence once, with AllenNLP's readers and with ours. Each takes
seconds to import everything: only `make test-all` has them.
"""

import copy
import multiprocessing

import pytest
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.data.data_loaders import DataLoader, multiprocess_data_loader

from slstm_allennlp import compatibility

SENTENCES = {
    "sequence_tagging": "the###D dog###N barks###V\na###D cat###N sleeps###V\nit###P runs###V\n",
    "tagged_text": "the/D dog/N barks/V\na/D cat/N sleeps/V\nit/P runs/V\n",
}


def loader_of(reader, data_path, **options):
    reader = DatasetReader.from_params(Params(copy.deepcopy(reader)))
    return DataLoader.from_params(Params(options), reader=reader, data_path=data_path)


def last_words(loader):
    return sorted(instance["tokens"].tokens[-1].text for instance in loader.iter_instances())


TAGGED, ALLENNLPS = {"type": "tagged_text", "format": "inline"}, {"type": "sequence_tagging"}


@pytest.mark.parametrize("method", ("spawn", "forkserver"))
def test_the_lock_is_of_the_workers_context(method):
    context = multiprocessing.get_context(method)
    lock_in = compatibility._with_lock_of_context(lambda *_: multiprocess_data_loader.mp.RLock)
    assert lock_in(None, None, context) == context.RLock != multiprocess_data_loader.mp.RLock


@pytest.mark.slow
@pytest.mark.parametrize(
    "method, reader, in_memory",
    [("spawn", TAGGED, 2), ("spawn", ALLENNLPS, None), ("forkserver", TAGGED, None)],
)
def test_workers(tmp_path, method, reader, in_memory):
    path = tmp_path / "sentences.txt"
    path.write_text(SENTENCES[reader["type"]])
    options = {"num_workers": 2, "start_method": method, "max_instances_in_memory": in_memory}
    loader = loader_of(reader, str(path), batch_size=2, **options)
    assert last_words(loader) == ["barks", "runs", "sleeps"]
    if in_memory is None:
        loader.index_with(Vocabulary.from_instances(loader.iter_instances()))
        assert sum(len(batch["tags"]) for batch in loader) == 3


@pytest.mark.slow
def test_multitask_workers(tmp_path):
    path = tmp_path / "sentences.txt"
    path.write_text(SENTENCES["tagged_text"])
    reader = {"type": "multitask", "readers": {"pos": TAGGED}}
    workers = {"num_workers": {"pos": 1}, "start_method": {"pos": "spawn"}}
    options = {"type": "multitask", "scheduler": {"batch_size": 2}, **workers}
    loader = loader_of(reader, {"pos": str(path)}, **options)
    assert last_words(loader) == ["barks", "runs", "sleeps"]
