"""What Python imports at its start: SIGUSR2 makes the process spin, and a file breaks its SQLite.

While that file is there, the statement that renews leases raises an error that no database knows.
"""

import os
import signal
import sqlite3
import time
from typing import Any

_FAULT = os.environ.get("CHAOS_FAULT", "")
_RENEWAL = "UPDATE run SET lease_until = :until"
_SPIN_SECONDS = 300


def _spin(*_: object) -> None:
    """Keep the thread of the event loop busy with nothing, but not for ever."""
    end = time.monotonic() + _SPIN_SECONDS
    while time.monotonic() < end:
        pass


class _Connection(sqlite3.Connection):
    def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
        if _RENEWAL in sql and os.path.exists(_FAULT):  # noqa: PTH110  (nothing more is imported)
            raise RuntimeError("the renewal of leases is broken on purpose")
        return super().execute(sql, *parameters)


def _connect(*arguments: Any, **options: Any) -> sqlite3.Connection:
    return _open(*arguments, **{"factory": _Connection, **options})


signal.signal(signal.SIGUSR2, _spin)
_open = sqlite3.connect
if _FAULT:
    sqlite3.connect = _connect
