"""Find vectors by name, detect their format, and open them."""

import re
from pathlib import Path
from typing import Iterable, Optional

import numpy
import srsly
from allennlp.common.checks import ConfigurationError
from spacy.symbols import IDS
from spacy.vectors import Vectors

from slstm_allennlp.common.extras import needs
from slstm_allennlp.common.suggestions import nearest
from slstm_allennlp.vectors.files import open_file
from slstm_allennlp.vectors.packages import COPIES, place_of
from slstm_allennlp.vectors.table import FloretVectors, Index, VectorTable, WordVectors, key_of

_FORMS = (
    "an installed package or a folder with a spaCy pipeline, the package glove-6b-50d, or a file of "
    "GloVe's, word2vec's or fastText's vectors"
)
_NOT_A_PATH = re.compile(r"\(.*\)#.*|\w+://.*")  # AllenNLP's syntax for a file in an archive, or a URL


def open_vectors(name: str) -> WordVectors:
    """
    Open the vectors of a package (`en_core_web_md`), a folder or a file. Only the files of the vectors
    are read: packages are not imported, and spaCy pipelines are not loaded. Matrices are memory-mapped,
    so that all processes of a machine share one copy. GloVe, word2vec and fastText files are converted
    once, into `cache_folder()`. `ConfigurationError` if the name is not found, or holds no readable
    vectors.
    """
    if _NOT_A_PATH.fullmatch(name):
        return open_file(name)
    place = place_of(name)
    if place is None:
        other = nearest(name, COPIES)
        near = f'; did you mean "{other}"?' if other else ""
        raise ConfigurationError(
            f'vectors: "{name}" is no file, no folder and no installed package, expected {_FORMS} '
            f"(`make vectors`, or `pip install -r requirements-vectors.txt`, installs three){near}"
        )
    return _open_folder(name, place) if place.is_dir() else open_file(str(place))


def _open_folder(name: str, folder: Path) -> WordVectors:
    """Open the spaCy pipeline or the matrix in a folder or in one of its subfolders."""
    for candidate in [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]:
        for vocab in (candidate / "vocab", candidate):
            if (vocab / "vectors").is_file() and (vocab / "key2row").is_file():
                return _open_spacy(name, vocab)
        matrix, index = _single(candidate.glob("*.npy")), _single(candidate.glob("*.parquet"))
        if matrix and index:
            return _open_matrix(name, matrix, index)
    raise ConfigurationError(
        f"vectors: the folder {folder.resolve()} ({name}) holds no vectors, expected a spaCy pipeline "
        "(vocab/vectors and vocab/key2row), or one .npy file and one .parquet file with its words"
    )


def _open_spacy(name: str, vocab: Path) -> WordVectors:
    try:
        mode = "default"
        if (vocab / "vectors.cfg").is_file():  # spaCy 3.2 and later
            mode = srsly.read_json(vocab / "vectors.cfg").get("mode", mode)
        if mode == "floret":
            return FloretVectors(name, Vectors().from_disk(vocab))
        vectors = numpy.load(vocab / "vectors", mmap_mode="r", allow_pickle=False)
        rows = srsly.read_msgpack(vocab / "key2row")
        # For its symbols, such as "mark", spaCy stores an ID instead of the hash.
        symbol_rows = {key_of(word): rows[number] for word, number in IDS.items() if number in rows}
        rows = {**rows, **symbol_rows}
        index = Index.of(list(rows.keys()), list(rows.values()))
    except (AttributeError, OSError, TypeError, ValueError) as error:
        raise _damaged(vocab, error) from None
    return _table(name, vocab, index, vectors)


def _open_matrix(name: str, matrix: Path, words: Path) -> WordVectors:
    """Open a NumPy matrix whose words are in the first column of a Parquet file."""
    pyarrow, parquet = needs("pyarrow", "vectors"), needs("pyarrow.parquet", "vectors")

    try:
        vectors = numpy.load(matrix, mmap_mode="r", allow_pickle=False)
        column = parquet.read_table(words).column(0).to_pylist()
        index = Index.of([key_of(str(word)) for word in column], range(len(column)))
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise _damaged(matrix.parent, error) from None
    if len(column) != len(vectors):
        raise ConfigurationError(
            f"{words}: {len(column)} words, expected {len(vectors)}, one for each row of {matrix.name}"
        )
    return _table(name, matrix.parent, index, vectors)


def _table(name: str, folder: Path, index: Index, vectors: numpy.ndarray) -> VectorTable:
    if vectors.ndim != 2 or not len(vectors) or not len(index.keys):
        raise ConfigurationError(
            f"vectors: {name} has no vectors of its words ({folder.resolve()}: a matrix of "
            f"{' × '.join(map(str, vectors.shape))}); of spaCy's pipelines, those ending in _md and _lg "
            "have some"
        )
    if int(index.rows.max()) >= len(vectors):
        raise _damaged(folder, ValueError(f"a word of row {index.rows.max()}, of {len(vectors)} rows"))
    return VectorTable(name, index, vectors)


def _damaged(place: Path, error: Exception) -> ConfigurationError:
    return ConfigurationError(
        f"{place.resolve()}: the vectors cannot be read ({error}), expected those of a spaCy pipeline "
        "or of a NumPy matrix; install or copy them again"
    )


def _single(paths: Iterable[Path]) -> Optional[Path]:
    found = list(paths)
    return found[0] if len(found) == 1 else None
