from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.api_client import Client
from tests.support.stores import IMPLEMENTATIONS


@pytest.fixture(params=IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS)
def client(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Client]:
    """Return a client of an empty server, on each database in turn."""
    with Client(tmp_path, on=request.param) as opened:
        yield opened
