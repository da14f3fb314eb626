import sys
import tempfile

import pytest

from slstm_allennlp.security.opening import TRUST
from tests.security.common import Forge


@pytest.fixture
def forge(tmp_path, monkeypatch):
    """A forge of archives. The parent of the folder for temporary files is checked for new files."""
    (tmp_path / "forge" / "tmp").mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "forge" / "tmp"))
    monkeypatch.delenv(TRUST, raising=False)
    return Forge(tmp_path / "forge")


@pytest.fixture
def fetched(monkeypatch):
    """A list of the requested addresses. Every request fails."""
    requested = []

    def fail(address, **_):
        requested.append(address)
        raise OSError(address)

    monkeypatch.setattr(sys.modules["cached_path._cached_path"], "get_scheme_client", fail)
    return requested
