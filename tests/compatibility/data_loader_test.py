"""Workers that are spawned, not forked, read all sentences, with AllenNLP's readers and with ours."""

import pytest
from allennlp.common import Params
from allennlp.data import DatasetReader, Vocabulary
from allennlp.data.data_loaders import DataLoader

READERS = {
    "sequence_tagging": "the###D dog###N barks###V\na###D cat###N sleeps###V\nit###P sleeps###V\n",
    "tagged_text": "the/D dog/N barks/V\na/D cat/N sleeps/V\nit/P sleeps/V\n",
}


@pytest.mark.parametrize("max_instances_in_memory", (None, 2), ids=("eager", "lazy"))
@pytest.mark.parametrize("reader", READERS)
def test_spawned_workers(tmp_path, reader, max_instances_in_memory):
    path = tmp_path / "sentences.txt"
    path.write_text(READERS[reader])
    params = {"type": reader, "format": "inline"} if reader == "tagged_text" else {"type": reader}
    loader = DataLoader.from_params(
        Params(
            {
                "batch_size": 2,
                "num_workers": 1,
                "start_method": "spawn",
                "max_instances_in_memory": max_instances_in_memory,
            }
        ),
        reader=DatasetReader.from_params(Params(params)),
        data_path=str(path),
    )
    instances = list(loader.iter_instances())
    assert [instance["tokens"].tokens[-1].text for instance in instances] == [
        "barks",
        "sleeps",
        "sleeps",
    ]
    if max_instances_in_memory is None:
        loader.index_with(Vocabulary.from_instances(instances))
        assert sum(len(batch["tags"]) for batch in loader) == 3
