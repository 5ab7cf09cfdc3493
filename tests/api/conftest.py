from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.api_client import COLLECTION, Client, a_collection
from tests.support.served_engine import ServedEngine


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


@pytest.fixture
def served(billing: Client) -> ServedEngine:
    """Return an engine beside a server with an empty collection."""
    return ServedEngine(billing)
