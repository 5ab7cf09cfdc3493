"""Many rows in one statement.

A statement lets go of the interpreter while it runs and must get it back afterwards, which under
load costs more than most rows do. So what comes in batches is written in a few statements.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain

from foliot.store.sql.database import Cursor
from foliot.store.sql.rows import Row

# Few sizes, so that few statements are prepared.
_SIZES = (256, 128, 64, 32, 16, 8, 4, 2, 1)
_ONE_ROW = re.compile(r"VALUES (\([?, ]+\))")


def execute_all(
    execute: Callable[[str, Row], Cursor], query: str, rows: Sequence[Row]
) -> Iterator[tuple[Sequence[Row], Cursor]]:
    """Run a query, which is written for one row of values, for many of them at a time."""
    for batch in _batches(rows):
        values = tuple(chain.from_iterable(batch))
        yield batch, execute(_for_rows(query, len(batch)), values)


def _batches(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    start = 0
    for size in _SIZES:
        while len(rows) - start >= size:
            yield rows[start : start + size]
            start += size


@lru_cache(maxsize=128)
def _for_rows(query: str, count: int) -> str:
    return _ONE_ROW.sub(lambda row: "VALUES " + ", ".join([row[1]] * count), query)
