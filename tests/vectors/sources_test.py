"""Vectors in every file format: the same words have the same vectors, and bad files are errors."""

import bz2
import gzip
import json
import os
import shutil
import zipfile

import numpy
import pyarrow
import pytest
from allennlp.common.checks import ConfigurationError
from pyarrow import parquet
from spacy.strings import StringStore
from spacy.vectors import Vectors

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.vectors import files, open_vectors
from slstm_allennlp.vectors.packages import cache_folder

# spaCy has names of its own for some words, such as "mark", and does not hash them.
WORDS = ["the", "Mark", "mark", "TIME", "naïve", "日本"]
NUMBERS = numpy.random.RandomState(0).randn(6, 5).astype("<f4")


def text(*, header=False, ending=""):
    lines = [f"{word} {' '.join(map(str, row))}{ending}" for word, row in zip(WORDS, NUMBERS)]
    return "\n".join(["6 5"] * header + lines) + "\n"


def binary(ending=b"\n"):
    rows = (word.encode() + b" " + row.tobytes() + ending for word, row in zip(WORDS, NUMBERS))
    return b"6 5\n" + b"".join(rows)


def write_spacy(folder, **options):
    (folder / "vocab").mkdir(parents=True)
    options = options or {"strings": StringStore(WORDS), "data": NUMBERS, "keys": WORDS}
    Vectors(**options).to_disk(folder / "vocab")
    return folder


def write_matrix(folder, words=WORDS):
    folder.mkdir(parents=True, exist_ok=True)
    numpy.save(folder / "emb.npy", NUMBERS)
    parquet.write_table(pyarrow.table({"index": words}), folder / "index.parquet")
    return folder


def written(folder, form):
    path = folder / f"vectors{form}"
    if form in (".zip", ".tar.gz"):
        (folder / "vectors.txt").write_text(text(), encoding="utf-8")
        kind = "zip" if form == ".zip" else "gztar"
        shutil.make_archive(folder / "vectors", kind, folder, "vectors.txt")
    elif form in (".bin", ".bin.gz"):
        marked = binary().replace(b"\nthe", "\n\ufeffthe".encode(), 1)  # with a byte order mark
        path.write_bytes(marked if form == ".bin" else gzip.compress(binary(ending=b"")))
    else:
        content = text(header=".vec" in form, ending=" " * (".vec" in form)).encode()
        pack = {".gz": gzip.compress, "bz2": bz2.compress}.get(form[-3:], bytes)
        path.write_bytes(pack(content))
    return path


FORMS = (".txt", ".vec", ".txt.gz", ".vec.gz", ".txt.bz2", ".zip", ".tar.gz", ".bin", ".bin.gz")


@pytest.fixture(params=(*FORMS, "spacy", "a package of spaCy's", "a matrix", "a package's matrix"))
def name(request, tmp_path, monkeypatch):
    form = request.param
    if form in FORMS:
        return str(written(tmp_path, form))
    write = write_matrix if "matrix" in form else write_spacy
    if "package" not in form:
        return str(write(tmp_path / "folder"))
    package = tmp_path / "some_package"
    write(package / "xx_some_md-1.0.0")
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    return "some-package"


def test_words_have_their_vectors(name):
    vectors = open_vectors(name)
    assert vectors.size == 5 and isinstance(vectors._vectors, numpy.memmap)
    assert vectors.std == pytest.approx(NUMBERS.std(), rel=1e-5)
    found, numbers = vectors.lookup([*WORDS[::-1], "other"])
    assert found.tolist() == [True] * len(WORDS) + [False]
    numpy.testing.assert_allclose(numbers, NUMBERS[::-1], rtol=1e-6)
    assert numbers.dtype == numpy.float32


TWO_WORDS = {"a": [1, 2], ". .": [3, 4]}


@pytest.mark.parametrize(
    "content, expected",
    (
        # As written, then in lower case, then capitalized.
        ("us 1\nUs 2\nUS 3\nword 5\n", {"us": [1], "Us": [2], "US": [3], "uS": [1], "WORD": [5]}),
        ("Rome 4\nword 5\n", {"rome": [4], "ROME": [4]}),
        # As in GloVe: the numbers are the last fields, and the first of two equal words is used.
        ("a 1 2\n. . 3 4\nat a@b.de 5 6\na 7 8\n", {"a": [1, 2], ". .": [3, 4], "at a@b.de": [5, 6]}),
        ("a 1 2\n\nb 3 4\n\n", {"a": [1, 2], "b": [3, 4], "": None}),  # blank lines are no words
        ("a 1\nb 2\n", {"\ud800": None}),  # UTF-8 cannot write it
        # Byte order marks, headers, tabs after words, and spaces in words of any row.
        ("\ufeffa 1 2\n. . 3 4\n", TWO_WORDS),
        ("\ufeff2 2\na 1 2 \n. . 3 4 \n", TWO_WORDS),
        ("a\t1 2\n. .\t3\t4\n", TWO_WORDS),
        ("a  1  2\n. .  3  4\n", TWO_WORDS),
        (". . 3 4\na 1 2\nb 5 6\n", TWO_WORDS),
        ("2 2\n. . 3 4\na 1 2\n", TWO_WORDS),
        ("2\n\ufeff. . 3 4\na 1 2\n", TWO_WORDS),
    ),
)
def test_words_of_a_text_file(tmp_path, content, expected):
    (tmp_path / "vectors.txt").write_text(content, encoding="utf-8")
    found, numbers = open_vectors(str(tmp_path / "vectors.txt")).lookup(list(expected))
    assert found.tolist() == [row is not None for row in expected.values()]
    assert numbers.tolist() == [row for row in expected.values() if row is not None]


@pytest.mark.parametrize("form", (".vec", ".bin"))
@pytest.mark.parametrize("promised", (3, 5, 7, 2_000_000))
def test_a_header_that_differs_from_the_rows(tmp_path, caplog, form, promised):
    path = tmp_path / f"vectors{form}"
    content = binary() if form == ".bin" else text(header=True).encode()
    path.write_bytes(content.replace(b"6 5", f"{promised} 5".encode(), 1))
    message = f"{path}: 6 rows, expected {promised}, the number in the first line"
    if abs(promised - 6) == 1:
        assert open_vectors(str(path)).lookup(WORDS)[0].all()
        assert message in caplog.messages
    else:
        with pytest.raises(CorpusError, match=f"{message}: is the file whole"):
            open_vectors(str(path))


def test_floret_vectors_are_of_any_word(tmp_path):
    options = {"mode": "floret", "minn": 2, "maxn": 3, "hash_count": 2, "hash_seed": 1}
    options.update(strings=StringStore(), data=NUMBERS)
    vectors = open_vectors(str(write_spacy(tmp_path / "p", **options)))
    found, numbers = vectors.lookup(["anything", "else"])
    assert found.all() and vectors.size == 5
    expected = Vectors(**options).get_batch(["anything", "else"])
    numpy.testing.assert_allclose(numbers, expected, rtol=1e-6)


def test_a_text_file_is_converted_once_until_it_changes(tmp_path, monkeypatch):
    path = tmp_path / "vectors.txt"
    path.write_text("a 1\nb 2\n")
    open_vectors(str(path))
    with monkeypatch.context() as patch:
        patch.setattr(files, "_convert", lambda *_: pytest.fail("converted again"))
        assert isinstance(open_vectors(str(path))._vectors, numpy.memmap)
    path.write_text("a 22\nb 2\n")
    assert open_vectors(str(path)).lookup(["a"])[1].tolist() == [[22]]
    path.write_text("a 33\nb 2\n")  # as long as before
    os.utime(path, ns=(0, 0))
    assert open_vectors(str(path)).lookup(["a"])[1].tolist() == [[33]]


def test_members_have_vectors_of_their_own(tmp_path):
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.writestr("one.txt", "a 1\nb 2\n")
        archive.writestr("two.txt", "a 3\nb 4\n")
    names = [f"({tmp_path}/two.zip)#{name}.txt" for name in ("one", "two")]
    assert [open_vectors(name).lookup(["a"])[1].tolist() for name in names] == [[[1]], [[3]]]


@pytest.mark.parametrize(
    "name, content, message",
    (
        (".txt", b"a 1 2\nb 3\n", ":2: 1 numbers after the word, expected 2, as many as in the first"),
        (".txt", b"a 1 2\nb 3 x\n", ":2: could not convert string to float: 'x', expected a word and 2"),
        (".txt", b"a 1 2\n\nb 3\n", ":3: 1 numbers after the word, expected 2"),
        (".txt", b"a 1 2\nb nan 3\n", ":2: a number is NaN or infinite in 32 bits, expected finite"),
        (".txt", b"a 1 2\nb 1e39 3\n", ":2: a number is NaN or infinite in 32 bits, expected finite"),
        (".bin", b"1 1\nx \0\0\xc0\x7f", ": word 1, x: a number is NaN or infinite in 32 bits"),
        (".txt", b"a 1 2\n. . 3 4\nb 1 3 4\n", ":3: more than 2 numbers after the word, expected 2"),
        (".txt", b"2 1\na 1 2\nb 3 4\n", ":2: more than 1 numbers after the word, expected 1"),
        (".txt", b"a\nb\n", ":1: 0 numbers after the word, expected some"),
        (".txt", b"", " is empty, expected a word and its numbers in each line"),
        (".txt", b"a 1 1\nb 1 1\n", ".* a standard deviation of 0.0, expected one above 0"),
        (".txt", "é 1 2\n".encode("latin-1"), ".* not UTF-8 .*word2vec's binary form"),
        (".txt.gz", b"no gzip", r" cannot be read \(.*expected a whole file"),
        (".txt.gz", gzip.compress(b"a 1 2\n" * 99, mtime=0)[:-9], r" cannot be read \(.*expected a wh"),
        (".txt.xz", b"no xz", r" cannot be read \(.*expected a whole file"),
        (".bin", binary()[:60], ".* it ends in word 3, expected 6 words"),
        (".bin", b"a 1\n", ".* the first line is not two integers"),
    ),
)
def test_bad_files(tmp_path, name, content, message):
    path = tmp_path / f"vectors{name}"
    path.write_bytes(content)
    with pytest.raises(ConfigurationError, match=f"{path}{message}"):
        open_vectors(str(path))
    assert not list((cache_folder() / "vectors").glob("tmp*"))  # no temporary file is left


NO_MEMBER = r"cannot be read \(.*other.txt.*expected a whole file"
NO_BINARY = r"from a \.bin or a \.bin\.gz file alone"


@pytest.mark.parametrize("member, message", (("other.txt", NO_MEMBER), ("vectors.bin", NO_BINARY)))
def test_members_of_an_archive(tmp_path, member, message):
    with pytest.raises(ConfigurationError, match=message):
        open_vectors(f"({written(tmp_path, '.zip')})#{member}")


def empty_file(name):
    return lambda folder: (folder / name).write_bytes(b"")


def damaged_pipeline(file):
    return lambda folder: (write_spacy(folder) / "vocab" / file).write_bytes(b"\x00\x01")


def with_two_rows(folder):
    with open(write_spacy(folder) / "vocab" / "vectors", "wb") as file:
        numpy.save(file, NUMBERS[:2])


@pytest.mark.parametrize(
    "fill, message",
    (
        (lambda folder: None, r"the folder .* holds no vectors, expected"),
        (empty_file("vectors"), "holds no vectors, expected a spaCy pipeline"),
        (empty_file("key2row"), "holds no vectors, expected a spaCy pipeline"),
        # As en_core_web_sm
        (lambda folder: write_spacy(folder, keys=[]), "has no vectors of its words.*_md and _lg have"),
        (damaged_pipeline("vectors"), r"vocab: the vectors cannot be read \(.*copy them again"),
        (damaged_pipeline("key2row"), r"vocab: the vectors cannot be read \(.*copy them again"),
        (with_two_rows, r"cannot be read .a word of row 5, of 2 rows"),
        (lambda folder: write_matrix(folder, WORDS[:3]), "parquet: 3 words, expected 6, one for each r"),
    ),
)
def test_bad_folders(tmp_path, fill, message):
    fill(tmp_path)
    with pytest.raises(ConfigurationError, match=message):
        open_vectors(str(tmp_path))


def test_a_name_of_nothing():
    message = 'vectors: "en_core_web_mdd" is no file, no folder and no installed package.*did you mean'
    with pytest.raises(ConfigurationError, match=message):
        open_vectors("en_core_web_mdd")


def test_a_damaged_conversion(tmp_path):
    path = written(tmp_path, ".txt")
    open_vectors(str(path))
    size = files._conversion_of(str(path)) / "size.json"
    size.write_text(json.dumps({"rows": 100, "size": 5}))
    with pytest.raises(ConfigurationError, match=r"the converted vectors of .* are damaged .*remove "):
        open_vectors(str(path))


def test_a_cache_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SLSTM_ALLENNLP_CACHE", str(tmp_path / "file"))
    with pytest.raises(ConfigurationError, match=r"be converted there .*SLSTM_ALLENNLP_CACHE names"):
        open_vectors(str(written(tmp_path, ".txt")))
