"""Read vectors from one file: text (GloVe, fastText, word2vec) or word2vec's binary format."""

import contextlib
import gzip
import hashlib
import io
import itertools
import json
import logging
import lzma
import re
import tarfile
import zipfile
import zlib
from collections import Counter
from pathlib import Path
from typing import Any, Iterator, List, Sequence, Tuple

import numpy
from allennlp.common.checks import ConfigurationError
from allennlp.common.file_utils import cached_path
from allennlp.modules.token_embedders.embedding import EmbeddingsTextFile, parse_embeddings_file_uri

from slstm_allennlp.common.errors import CorpusError
from slstm_allennlp.common.extras import needs
from slstm_allennlp.vectors.kept_files import keep
from slstm_allennlp.vectors.packages import cache_folder
from slstm_allennlp.vectors.table import Index, VectorTable, key_of

logger = logging.getLogger(__name__)
Block = Tuple[Sequence[str], numpy.ndarray]  # words, and a matrix with a row for each
_UNREADABLE = (
    OSError,
    EOFError,
    KeyError,
    lzma.LZMAError,
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
)
_LINES_PER_BLOCK = 20_000
_HEAD = 100  # lines from which the size is read if no header gives it
_VERSION = 3  # of the conversion; files that another one has converted are not used


def open_file(uri: str) -> VectorTable:
    """
    Memory-map the vectors of a file. The first call converts the file, into `cache_folder()`.
    `ConfigurationError` for an unreadable file, `CorpusError` for one that differs from its header by
    more than one row, and, with file and line, for rows of different lengths and for a value that is not
    a finite number. The URI is a path, a URL or, in an archive, AllenNLP's `(archive.zip)#file.txt`.
    """
    folder = _conversion_of(uri)
    if not folder.exists():
        _convert(uri, folder)
    try:
        sizes = json.loads((folder / "size.json").read_text())
        index = Index(*(numpy.load(folder / f"{name}.npy", mmap_mode="r") for name in Index._fields))
        vectors = numpy.memmap(
            folder / "vectors", numpy.float32, mode="r", shape=(sizes["rows"], sizes["size"])
        )
    except (KeyError, OSError, ValueError) as error:
        raise ConfigurationError(
            f"{folder}: the converted vectors of {uri} are damaged ({error}), expected intact files; "
            "remove the folder to convert the vectors again"
        ) from None
    return VectorTable(uri, index, vectors)


def _conversion_of(uri: str) -> Path:
    """Return the cache folder of a file. It depends on path, size and modification time."""
    archive, member = parse_embeddings_file_uri(uri)
    try:
        path = Path(cached_path(archive)).resolve()
        status = path.stat()
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"vectors: {uri} cannot be read ({error}), expected a file") from None
    named = f"{_VERSION}|{path}|{member}|{status.st_size}|{status.st_mtime_ns}"
    return cache_folder() / "vectors" / hashlib.sha256(named.encode()).hexdigest()[:20]


def _convert(uri: str, folder: Path) -> None:
    """Convert atomically, also if another process converts the same file."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        keep(folder, lambda unfinished: _write(uri, unfinished))
    except OSError as error:
        raise ConfigurationError(
            f"{folder.parent}: the vectors of {uri} cannot be converted there ({error.strerror}), "
            "expected room for as many bytes as they take in memory; SLSTM_ALLENNLP_CACHE names "
            "another folder"
        ) from None


def _write(uri: str, folder: Path) -> None:
    keys: List[int] = []
    size = 0
    with (folder / "vectors").open("wb") as file:
        for words, vectors in _read_blocks(uri):
            keys += map(key_of, words)
            size = vectors.shape[1]
            file.write(vectors.tobytes())
    if not keys:
        raise CorpusError(f"vectors: {uri} is empty, expected a word and its numbers in each line")
    for name, values in Index.of(keys, range(len(keys)))._asdict().items():
        numpy.save(folder / f"{name}.npy", values)
    (folder / "size.json").write_text(json.dumps({"rows": len(keys), "size": size}))


def _read_blocks(uri: str) -> Iterator[Block]:
    is_binary = uri.endswith((".bin", ".bin.gz")) and not uri.startswith("(")
    if not is_binary and re.search(r"\.bin(\.\w+)?$", uri):
        raise CorpusError(
            f"{uri}: word2vec's binary form is read from a .bin or a .bin.gz file alone, expected one"
        )
    try:
        yield from _read_binary(uri) if is_binary else _read_text(uri)
    except UnicodeDecodeError as error:
        raise CorpusError(
            f"{uri}: not UTF-8 ({error.reason}), expected words and numbers in UTF-8, or word2vec's "
            "binary form under a name that ends in .bin"
        ) from None
    except CorpusError:
        raise
    except (*_UNREADABLE, ValueError) as error:
        raise CorpusError(f"{uri} cannot be read ({error}), expected a whole file of vectors") from None


def _read_text(uri: str) -> Iterator[Block]:
    """Read a word and its numbers per line. A header gives the number of rows, and their size."""
    try:
        file = EmbeddingsTextFile(uri)
    except StopIteration:  # an empty file
        return
    with file:
        file._handle.seek(0)  # AllenNLP has read the first line, to look for a header
        lines = map(_normalised, file._handle)
        numbered = ((number, line) for number, line in enumerate(lines, start=1) if line)
        head = list(itertools.islice(numbered, _HEAD))
        header = re.fullmatch(r"(\d+)(?: +(\d+))?", head[0][1]) if head else None
        if header:
            del head[0]
        size = int(header[2]) if header and header[2] else _size_of(head)
        all_lines = itertools.chain(head, numbered)
        rows = 0
        while block := list(itertools.islice(all_lines, _LINES_PER_BLOCK)):
            rows += len(block)
            yield _parse_block(uri, block, size)
        if header:
            _check_rows(uri, int(header[1]), rows)


def _normalised(line: str) -> str:
    """Return a line with one space between its fields."""
    line = line.replace("\ufeff", "").replace("\t", " ").rstrip(" \r\n")
    return re.sub("  +", " ", line) if "  " in line else line


def _size_of(lines: List[Tuple[int, str]]) -> int:
    """Return how many numbers most lines end with, of which the first field is none."""
    counts = Counter(
        sum(1 for _ in itertools.takewhile(_is_number, reversed(line.split(" ")[1:])))
        for _, line in lines
    )
    return counts.most_common(1)[0][0] if counts else 0


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _check_rows(uri: str, promised: int, found: int) -> None:
    """Compare a file with its header. One row more or less is a warning: some tools count so."""
    message = f"{uri}: {found} rows, expected {promised}, the number in the first line"
    if abs(promised - found) > 1:
        raise CorpusError(f"{message}: is the file whole?")
    if promised != found:
        logger.warning(message)


def _parse_block(uri: str, numbered: List[Tuple[int, str]], size: int) -> Block:
    """Parse lines in one call of pandas. If that fails, parse line by line, to find the error."""
    pandas = needs("pandas", "vectors")
    lines = [line for _, line in numbered]
    words, _, numbers = zip(*(line.partition(" ") for line in lines))
    if size and all(line.count(" ") == size for line in lines):
        with contextlib.suppress(ValueError):
            text = io.StringIO("\n".join(numbers))
            table = pandas.read_csv(text, sep=" ", header=None, dtype=numpy.float32, na_filter=False)
            if numpy.isfinite(table.to_numpy()).all():
                return words, table.to_numpy()
    rows = [_parse_row(f"{uri}:{number}", line, size) for number, line in numbered]
    return [word for word, _ in rows], numpy.array([row for _, row in rows], dtype=numpy.float32)


def _parse_row(where: str, line: str, size: int) -> Tuple[str, List[float]]:
    word, *numbers = line.rsplit(" ", size)  # some words in GloVe contain spaces
    if not size or len(numbers) != size:
        raise CorpusError(
            f"{where}: {len(numbers)} numbers after the word, expected {size or 'some'}, as many as in "
            "the first row"
        )
    if " " in word and _is_number(word.rpartition(" ")[2]):
        raise CorpusError(
            f"{where}: more than {size} numbers after the word, expected {size}, as the first line or "
            "most of the others say"
        )
    try:
        values = [float(number) for number in numbers]
    except ValueError as error:
        raise CorpusError(f"{where}: {error}, expected a word and {size} numbers") from None
    _expect_finite(where, numpy.array(values))
    return word, values


def _read_binary(uri: str) -> Iterator[Block]:
    """Read word2vec's format: a line with two integers, then each word, a space and float32 values."""
    path = cached_path(uri)
    with gzip.open(path, "rb") if uri.endswith(".gz") else open(path, "rb") as stream:
        try:
            num_words, size = map(int, stream.readline().split())
        except ValueError:
            raise CorpusError(
                f"{uri}: the first line is not two integers, the number of words and the vector size, "
                "expected word2vec's binary format"
            ) from None
        rows = 0
        while letters := _read_word(stream).lstrip(b"\n"):
            rows += 1
            values = stream.read(4 * size)
            if len(values) < 4 * size:
                raise CorpusError(f"{uri}: it ends in word {rows}, expected {num_words} words")
            word = letters.decode("utf-8", "replace").replace("\ufeff", "")
            vector = numpy.frombuffer(values, dtype="<f4").reshape(1, size)
            _expect_finite(f"{uri}: word {rows}, {word}", vector)
            yield [word], vector
        _check_rows(uri, num_words, rows)


def _read_word(stream: Any) -> bytes:
    return b"".join(itertools.takewhile(b" ".__ne__, iter(lambda: stream.read(1), b"")))


def _expect_finite(where: str, values: numpy.ndarray) -> None:
    if not (abs(values) <= numpy.finfo(numpy.float32).max).all():
        raise CorpusError(f"{where}: a number is NaN or infinite in 32 bits, expected finite ones")
