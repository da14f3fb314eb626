"""A reader of one file reads its parts: 80, 10 and 10 per cent, by a seed."""

import itertools

import pytest

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.dataset_readers.parts import checksum_of
from tests.dataset_readers.common import reader_of

PARTS = ("#train", "#dev", "#test")
TABLE = "text,label\n" + "".join(f"text {n},{'few' if n < 10 else 'many'}\n" for n in range(100))
TAGGED = "".join(f"word{n}\tB-X\nends\tO\n\n" for n in range(100))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "all.csv"


@pytest.mark.parametrize(
    "reader, options, content",
    [
        ("table", {}, TABLE),
        ("tagged_text", {"format": "columns"}, TAGGED),
        ("conll_ner", {"coding_scheme": "IOB2"}, TAGGED),
    ],
)
def test_parts(path, reader, options, content):
    path.write_text(content)

    def read(part, seed=0):
        return [str(e) for e in reader_of(reader, **options, split_seed=seed).examples(f"{path}{part}")]

    parts = [read(part) for part in PARTS]
    assert [len(part) for part in parts] == [80, 10, 10]
    assert sorted(example for part in parts for example in part) == sorted(read(""))
    assert parts[0] == [example for example in read("") if example in parts[0]]  # in the file's order
    assert read("#train+test") == [example for example in read("") if example not in parts[1]]
    assert read("#dev", seed=1) != parts[1] == read("#dev")
    if reader == "table":  # each part has its share of each class
        assert [sum("few" in example for example in part) for part in parts] == [8, 1, 1]
        # Archives count on it: their #test must not become #train.
        dev = [n for n in range(100) if any(f"'text {n}'" in example for example in parts[1])]
        assert dev == [1, 29, 35, 38, 47, 48, 57, 75, 79, 88]
    assert len(list(reader_of(reader, **options).read(f"{path}#dev"))) == 10


@pytest.mark.parametrize(
    "part, count, message",
    [
        ("train", 9, "9 different examples, expected at least 10 to split them into train, dev, test, "),
        ("trian", 20, "there is no part 'trian', expected one of train, dev, test"),
    ],
)
def test_no_parts(path, part, count, message):
    path.write_text("text,label\n" + "".join(f"a{n},b\n" for n in range(count)))
    with pytest.raises(CorpusError, match=f"all.csv: {message}"):
        list(reader_of("table").examples(f"{path}#{part}"))


@pytest.mark.parametrize("reader, content", [("table", TABLE), ("tagged_text", TAGGED)])
def test_parts_of_a_file_that_has_changed(path, reader, content):
    """Its test part had examples of the training."""
    path.write_text(content)
    options = {"format": "columns"} if reader == "tagged_text" else {}
    of_training = reader_of(reader, **options, split_checksum=checksum_of(str(path)))
    assert len(list(of_training.examples(f"{path}#test"))) == 10
    path.write_text(content + content[-9:].replace("99", "100"))
    with pytest.raises(CorpusError, match=r"all.csv#test: .*all.csv is not the file that was split"):
        list(of_training.examples(f"{path}#test"))
    assert list(of_training.examples(str(path)))
    path.unlink()
    with pytest.raises(CorpusError, match=r"all.csv: cannot be read \(.* not found"):
        list(of_training.examples(f"{path}#test"))


def test_the_same_examples_are_in_one_part(path):
    lines = [f"text {n % 20},{'few' if n % 20 < 2 else 'many'}\n" for n in range(100)]
    path.write_text("text,label\n" + "".join(lines))
    parts = [[*map(str, reader_of("table").examples(f"{path}{part}"))] for part in PARTS]
    assert [len(part) for part in parts] == [80, 10, 10]
    assert not any(set(a) & set(b) for a, b in itertools.combinations(parts, 2))


def test_a_name_with_the_sign_of_parts_is_a_file(tmp_path):
    (tmp_path / "all#train").write_text("text\tlabel\na\tb\n")
    assert list(reader_of("table").examples(f"{tmp_path}/all#train")) == [{"text": "a", "label": "b"}]
