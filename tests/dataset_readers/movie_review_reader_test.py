import collections
import itertools

import pytest
from allennlp.common.checks import ConfigurationError

from slstm_allennlp.dataset_readers import MovieReviewReader

PARTS = ("train", "dev", "test")


def read(path, **options):
    return [
        (" ".join(token.text for token in instance["tokens"].tokens), instance["label"].label)
        for instance in MovieReviewReader(**options).read(str(path))
    ]


@pytest.fixture
def corpus(tmp_path):
    """Write a corpus of these lines (bytes or text), and return its folder."""

    def write(positive, negative):
        for name, lines in (("rt-polarity.pos", positive), ("rt-polarity.neg", negative)):
            content = b"".join(
                (line if isinstance(line, bytes) else line.encode("cp1252")) + b"\n" for line in lines
            )
            (tmp_path / name).write_bytes(content)
        return tmp_path

    return write


def numbered(word, count):
    return [f"{word} film number {number} ." for number in range(count)]


def test_parts_make_up_the_corpus_without_overlap(corpus):
    folder = corpus(numbered("good", 31), numbered("bad", 32))
    everything = [(text, "positive") for text in numbered("good", 31)]
    everything += [(text, "negative") for text in numbered("bad", 32)]
    for fold in range(10):
        parts = [read(f"{folder}#{part}", fold=fold) for part in PARTS]
        assert sorted(parts[0] + parts[1] + parts[2]) == sorted(everything)
        assert [len(part) for part in parts][1:] == pytest.approx([6.3, 6.3], abs=1)


def test_cross_validation_tests_every_sentence_once(corpus):
    folder = corpus(numbered("good", 20), numbered("bad", 21))
    tested = [read(f"{folder}#test", folds=7, fold=fold) for fold in range(7)]
    everything = itertools.chain(*(read(f"{folder}#{part}") for part in PARTS))
    assert sorted(itertools.chain(*tested)) == sorted(everything)
    # dev is the fold after test.
    assert read(f"{folder}#dev", folds=7, fold=6) == tested[0]


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


def test_old_encodings(corpus):
    """A line that is not UTF-8 is Windows-1252. Its 0x85 is a word (…), not a line break."""
    folder = corpus([b"caf\xe9 \x85 noir", "café … blanc".encode()], ["plain"])
    texts = [text for part in PARTS for text, _ in read(f"{folder}#{part}", folds=3)]
    assert sorted(texts) == ["café … blanc", "café … noir", "plain"]


def test_an_encoding_by_name(corpus):
    folder = corpus([b"caf\xe9", b"b"], ["c"])
    texts = [text for part in PARTS for text, _ in read(f"{folder}#{part}", folds=3, encoding="cp1251")]
    assert sorted(texts) == ["b", "c", "cafй"]


def test_an_old_encodings_next_line_is_no_white_space(corpus):
    """In Latin-1, 0x85 is U+0085, where `str.split()` splits."""
    folder = corpus([b"third\x85emotionally"], ["b", "c"])
    texts = [text for part in PARTS for text, _ in read(f"{folder}#{part}", folds=3, encoding="latin-1")]
    assert "third\x85emotionally" in texts


@pytest.mark.parametrize(
    "encoding, message",
    [
        ("utf-9", "expected one that Python knows"),
        ("hex", "expected one that Python knows"),
        ("utf-16", "in which a newline is not one byte, expected one such as utf-8"),
    ],
)
def test_an_encoding_that_no_file_can_have(encoding, message):
    with pytest.raises(ConfigurationError, match=f"encoding is '{encoding}', {message}"):
        MovieReviewReader(encoding=encoding)


@pytest.mark.parametrize("encoding", ("utf-8-sig", "UTF-8", "latin-1", "gb18030"))
def test_an_encoding_of_files_with_lines(corpus, encoding):
    folder = corpus([b"a"], ["b", "c"])
    texts = [text for part in PARTS for text, _ in read(f"{folder}#{part}", folds=3, encoding=encoding)]
    assert sorted(texts) == ["a", "b", "c"]


def test_the_first_instances_are_of_both_classes(corpus):
    """So `max_instances` does not give a corpus of one class."""
    folder = corpus(numbered("good", 100), numbered("bad", 100))
    labels = [label for _, label in read(f"{folder}#train", max_instances=40)]
    assert 10 < labels.count("positive") < 30


def test_raw_text_is_split_as_the_corpus_is():
    instance = MovieReviewReader().text_to_instance("It doesn't work, does it?")
    words = [token.text for token in instance["tokens"].tokens]
    assert words == ["It", "doesn't", "work", ",", "does", "it", "?"]
    assert "label" not in instance


@pytest.mark.parametrize(
    "positive, part, message",
    [
        (["a", "b"], "#dve", r"there is no part 'dve', expected one of train, dev, test"),
        (["a", "b"], "", r"names no part, expected FOLDER#PART, such as /.*#train"),
        (["a", " ", "b"], "#train", r"rt-polarity.pos, line 2: the line is empty"),
        (["a", b"b\x81"], "#train", r"line 2: byte 0x81 at position 2 is not UTF-8 or Windows-1252"),
        (["a", "b"], "#", r"#: names no part, expected FOLDER#PART, such as /.*[^#]#train"),
        (["a", "b"], "#train", r"4 sentences for 10 folds, expected at least one for each"),
        ([], "#train", r"rt-polarity.pos: the file is empty"),
    ],
)
def test_bad_input_is_named(corpus, positive, part, message):
    folder = corpus(positive, ["c", "d"])
    with pytest.raises(ValueError, match=message):
        read(f"{folder}{part}")


def test_a_file_in_the_place_of_a_folder(tmp_path):
    (tmp_path / "own.tsv").write_text("good\ta film\n")
    with pytest.raises(ValueError, match=r"own\.tsv: is a file, expected FOLDER#PART, one part of"):
        read(tmp_path / "own.tsv")


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(ValueError, match=r"nowhere: cannot be read .*, expected a folder"):
        read(tmp_path / "nowhere#train")
    with pytest.raises(ValueError, match=r"rt-polarity.pos: cannot be read"):
        read(f"{tmp_path}#train")
    (tmp_path / "file").write_text("text")
    with pytest.raises(ValueError, match="file: is a file, expected a folder"):
        read(tmp_path / "file#train")
    (tmp_path / "broken.tar.gz").write_bytes(b"\x1f\x8b no archive")
    with pytest.raises(ValueError, match=r"broken.tar.gz!mr: cannot be read .*, expected a folder"):
        read(tmp_path / "broken.tar.gz!mr#train")
    (tmp_path / "rt-polarity.pos").mkdir()
    with pytest.raises(ValueError, match=r"rt-polarity.pos: cannot be read .*, expected a text file"):
        read(f"{tmp_path}#train")


@pytest.mark.parametrize(
    "options, message",
    [
        ({"folds": 2}, "folds is 2, expected at least 3"),
        ({"fold": 10}, "fold is 10, expected one from 0 to 9"),
        ({"fold": -1}, "fold is -1"),
    ],
)
def test_arguments_out_of_range(options, message):
    with pytest.raises(ConfigurationError, match=message):
        MovieReviewReader(**options)


def test_the_bundled_corpus_is_no_utf_8():
    for name in ("rt-polarity.pos", "rt-polarity.neg"):
        with pytest.raises(UnicodeDecodeError), open(f"fixtures/mr/{name}", encoding="utf-8") as file:
            file.read()
