"""Gives history entries from before runs were recorded the outcomes of their runs.

They are gone through by number, some thousand in a transaction, and each leaves the index of such
entries: a start that was interrupted continues where it stopped. Entries that a node of an older
version adds later, while nodes are upgraded one after the other, are recorded at the next start.
"""

from collections.abc import Callable
from typing import Final

from foliot.store.sql.dialect import Dialect

_ENTRIES_AT_ONCE: Final = 5_000

# Is told what is being done, how many entries are done, and how many there are in all.
Progress = Callable[[str, int, int], None]


def no_progress(_what: str, _done: int, _total: int) -> None:
    """Tell nobody."""


def record_runs(dialect: Dialect, progress: Progress) -> None:
    """Give all such entries their outcomes."""
    (total,) = dialect.run("count_unrecorded").fetchone() or (0,)
    done = 0
    while done < total:
        with dialect.transaction():
            oldest = dialect.run("unrecorded_up_to", {"limit": _ENTRIES_AT_ONCE}).fetchone()
            if oldest is None or oldest[0] is None:  # another node has recorded the rest
                return
            done += dialect.run("record_runs", {"up_to": oldest[0]}).rowcount
        progress("Recording runs", min(done, total), total)
