import pytest

from tests.dataset_readers.common import reader_of, values


@pytest.fixture
def read(tmp_path):
    """Write a file, read it (or a part of its folder), and return the values of each instance."""

    def run(name, content, file="corpus", part=None, **options):
        path = tmp_path / file
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        reader = reader_of(name, **options)
        return [values(instance) for instance in reader.read(f"{tmp_path}#{part}" if part else path)]

    return run
