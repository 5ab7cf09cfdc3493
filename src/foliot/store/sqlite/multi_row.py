"""Many rows in one statement.

A statement lets go of the interpreter while it runs and must get it back afterwards, which under
load costs more than most rows do. So rows that come together are written in a few statements.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from foliot.store.sql.dialect import Row

# Few sizes, so that few statements are prepared.
_SIZES: Final = (256, 128, 64, 32, 16, 8, 4, 2, 1)
_ONE_ROW: Final = re.compile(r"VALUES (\([?, ]+\))")


def batches(rows: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Divide rows into as few batches of these sizes as possible."""
    start = 0
    for size in _SIZES:
        while len(rows) - start >= size:
            yield rows[start : start + size]
            start += size


@lru_cache(maxsize=128)
def for_rows(query: str, count: int) -> str:
    """Return a query that is written for one row of values as one for many rows."""
    return _ONE_ROW.sub(lambda row: "VALUES " + ", ".join([row[1]] * count), query)
