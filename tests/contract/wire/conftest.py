from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.wire.recordings import RECORDED
from tests.support.api_client import Client

# The recordings are not part of the project: where they are not, there is nothing to replay.
collect_ignore = [] if RECORDED.exists() else ["test_recorded.py"]


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """Return a client of an empty server."""
    with Client(tmp_path) as opened:
        yield opened
