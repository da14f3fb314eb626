import collections
import itertools
import shutil

import pytest

from tests.dataset_readers.common import reader_of, values

PARTS = ("train", "dev", "test")


def read(path, **options):
    return [values(instance) for instance in reader_of("movie_review", **options).read(str(path))]


@pytest.fixture
def corpus(tmp_path):
    def write(positive, negative):
        for name, lines in (("rt-polarity.pos", positive), ("rt-polarity.neg", negative)):
            encoded = (line if isinstance(line, bytes) else line.encode("cp1252") for line in lines)
            (tmp_path / name).write_bytes(b"".join(line + b"\n" for line in encoded))
        return tmp_path

    return write


def numbered(word, count):
    return [f"{word} film number {number} ." for number in range(count)]


def test_a_folder_in_an_archive(corpus, tmp_path):
    (tmp_path / "mr").mkdir()
    for path in corpus(numbered("good", 31), numbered("bad", 32)).glob("rt-*"):
        path.rename(tmp_path / "mr" / path.name)
    archive = shutil.make_archive(str(tmp_path / "all"), "gztar", tmp_path, "mr")
    assert read(f"{archive}!mr#dev") == read(f"{tmp_path}/mr#dev") != []


@pytest.mark.parametrize("folds", (7, 10))
def test_each_part_and_fold_has_each_sentence_once(corpus, folds):
    good, bad = numbered("good", 31), numbered("bad", 32)
    folder = corpus(good, bad)
    everything = [*((text, "positive") for text in good), *((text, "negative") for text in bad)]
    tested = []
    for fold in range(folds):
        train, dev, test = (read(f"{folder}#{part}", folds=folds, fold=fold) for part in PARTS)
        assert sorted(train + dev + test) == sorted(everything)
        assert [len(dev), len(test)] == pytest.approx([63 / folds] * 2, abs=1)
        tested.append(test)
    assert sorted(itertools.chain(*tested)) == sorted(everything)
    assert dev == tested[0]  # the fold after that of test


def test_the_split_is_the_same_everywhere():
    """It is based on SHA-256, not on a random generator whose sequence may change."""
    test = read("fixtures/mr#test")
    assert len(test) == 64
    assert [text for text, _ in test[:2]] == [
        "a dull , bland comedy with dim camera work .",
        "nothing about the editing seems jerky …",
    ]
    assert test != read("fixtures/mr#test", seed=1)


def test_the_split_depends_on_seed_and_words_alone(corpus):
    lines = numbered("good", 30)
    before = read(f"{corpus(lines, numbered('bad', 30))}#test", seed=3)
    after = read(f"{corpus(lines[::-1], numbered('bad', 30))}#test", seed=3)
    assert sorted(before) == sorted(after)


def test_sentences_of_the_same_words_stay_together(corpus, caplog):
    """Case, punctuation and label do not matter. `duplicates_together` turns it off."""
    twins = [f"{word} , it seems !" for word in map(str, range(40))]
    folder = corpus(twins, [twin.replace(" ,", "").upper() for twin in twins])
    with caplog.at_level("INFO"):
        parts = {part: read(f"{folder}#{part}") for part in PARTS}
    assert "80 sentences are duplicates of another one and stay in the same part" in caplog.text
    for texts in parts.values():
        counts = collections.Counter(text.split()[0] for text, _ in texts)
        assert set(counts.values()) == {2}
    loose = read(f"{folder}#test", duplicates_together=False)
    assert 1 in collections.Counter(text.split()[0] for text, _ in loose).values()


@pytest.mark.parametrize(
    "positive, negative, encoding, expected",
    [
        # A line that is not UTF-8 is Windows-1252. Its 0x85 is a word (…), not a line break.
        ([b"\xe9 \x85 c", "é … b".encode()], ["plain"], None, "plain|é … b|é … c"),
        ([b"\xe2\x80 c"], ["a", "b"], None, "a|b|â€ c"),  # the start of three bytes
        ([b"caf\xe9", b"b"], ["c"], "cp1251", "b|c|cafй"),
        # In Latin-1, 0x85 is U+0085, where `str.split()` splits.
        ([b"third\x85emotionally"], ["b", "c"], "latin-1", "b|c|third\x85emotionally"),
        *(([b"a"], ["b", "c"], name, "a|b|c") for name in ("utf-8-sig", "UTF-8", "latin-1", "gb18030")),
    ],
)
def test_encodings(corpus, positive, negative, encoding, expected):
    folder = corpus(positive, negative)
    options = {} if encoding is None else {"encoding": encoding}
    texts = [text for part in PARTS for text, _ in read(f"{folder}#{part}", folds=3, **options)]
    assert sorted(texts) == expected.split("|")


def test_the_first_instances_are_of_both_classes(corpus):
    """So `max_instances` does not give a corpus of one class."""
    folder = corpus(numbered("good", 100), numbered("bad", 100))
    labels = [label for _, label in read(f"{folder}#train", max_instances=40)]
    assert 10 < labels.count("positive") < 30


def test_raw_text_is_split_as_the_corpus_is():
    instance = reader_of("movie_review").text_to_instance("It doesn't work, does it?")
    assert values(instance) == ("It doesn't work , does it ?",)


@pytest.mark.parametrize(
    "positive, path, message",
    [
        ("ab", "#dve", r"there is no part 'dve', expected one of train, dev, test"),
        ("ab", "", r"names no part, expected FOLDER#PART, such as /.*#train"),
        ("a b", "#train", r"rt-polarity.pos, line 2: the line is empty"),
        (["a", b"b\x81"], "#train", r"line 2: byte 0x81 at position 2 is not UTF-8 or Windows-1252"),
        ("ab", "#", r"#: names no part, expected FOLDER#PART, such as /.*[^#]#train"),
        ("ab", "#train", r"4 sentences for 10 folds, expected at least one for each"),
        ("", "#train", r"rt-polarity.pos: the file is empty"),
        ("ab", "/own.tsv", r"own\.tsv: is a file, expected FOLDER#PART, one part of"),
        ("ab", "/own.tsv#train", r"own\.tsv: is a file, expected a folder"),
        ("ab", "/nowhere#train", "nowhere: cannot be read .*, expected a folder"),
        ("ab", "/empty#train", r"rt-polarity.pos: cannot be read"),
        ("ab", "/broken.tar.gz!mr#train", r"broken.tar.gz!mr: cannot be read .*, expected a folder"),
        ("ab", "/folder#train", r"rt-polarity.pos: cannot be read .*, expected a text file"),
    ],
)
def test_bad_input_is_named(corpus, positive, path, message):
    folder = corpus(positive, "cd")
    (folder / "own.tsv").write_text("good\ta film\n")
    (folder / "broken.tar.gz").write_bytes(b"\x1f\x8b no archive")
    (folder / "folder" / "rt-polarity.pos").mkdir(parents=True)
    (folder / "empty").mkdir()
    with pytest.raises(ValueError, match=message):
        read(f"{folder}{path}")
