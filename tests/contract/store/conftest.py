"""The stores that must keep the contract: `tests/support/stores.py` says how each is opened."""

from collections.abc import Generator
from pathlib import Path

import pytest

from foliot.store.sealing.keyring import Keyring
from tests.support.store_harness import Open
from tests.support.stores import IMPLEMENTATIONS

KEYRING = Keyring([bytes(32)])


@pytest.fixture(params=IMPLEMENTATIONS.values(), ids=IMPLEMENTATIONS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Open]:
    """How to open the store of this test; opened again, it is the same one."""
    with request.param(tmp_path) as database:
        yield lambda: database.open(KEYRING)
