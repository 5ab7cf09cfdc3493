"""The stores that must keep the contract: to plug one in, add how it is opened."""

from collections.abc import Callable
from pathlib import Path

import pytest

from foliot.ports import Store
from foliot.store import Keyring, SqliteStore
from tests.contract.store.harness import Open

KEYRING = Keyring([bytes(32)])

IMPLEMENTATIONS: dict[str, Callable[[Path], Store]] = {
    "sqlite": lambda folder: SqliteStore.open(folder / "foliot.db", KEYRING),
}


@pytest.fixture(params=IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """How to open the store of this test; opened again, it is the same one."""
    return lambda: request.param(tmp_path)
