from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.api_client import COLLECTION, Client, a_collection


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """Return a client of an empty server."""
    with Client(tmp_path) as opened:
        yield opened


@pytest.fixture
def billing(client: Client) -> Client:
    """Return a client of a server with an empty collection."""
    assert client.put(COLLECTION, a_collection()).status == 201
    return client
