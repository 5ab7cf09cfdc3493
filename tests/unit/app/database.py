"""A store on SQLite for the tests of use cases."""

from pathlib import Path
from typing import Any

from foliot.ports.store import Store
from foliot.store.sealing.keyring import Keyring
from foliot.store.sqlite.store import SqliteStore
from tests.support.steps import Steps


class Database:
    """A store and the loop that its use cases run on."""

    def __init__(self, folder: Path) -> None:
        self._runner = Steps()
        self.store: Store = SqliteStore.open(folder / "foliot.db", Keyring([b"k" * 32]))

    def run(self, coroutine: Any) -> Any:
        return self._runner.run(coroutine)

    def close(self) -> None:
        self.run(self.store.close())
        self._runner.close()
