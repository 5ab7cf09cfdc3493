"""History partitions: one for each week, created weeks ahead and dropped when it has expired.

To create or drop one takes a lock that every other transaction waits for. So the lock is given up
after a second and tried again the next time. Until then entries go to the default partition.
"""

from collections.abc import Callable
from typing import Any, Final

import psycopg

from foliot.core.instant import DAY, Instant

WEEK: Final = 7 * DAY
_WEEKS_AHEAD: Final = 4
_PREFIX: Final = "history_w"
_LOCK: Final = b"SELECT pg_advisory_xact_lock(6011, 2)"
_NAMES: Final = (
    b"SELECT relname::text FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid "
    b"WHERE inhparent = 'history'::regclass"
)


def maintain_partitions(
    run: Callable[..., Any], *, now: Instant, since: Instant, begin: Instant | None = None
) -> None:
    """Create partitions from `begin` to some weeks after now, drop those wholly before `since`."""
    run(_LOCK)
    run(b"SET LOCAL lock_timeout = '1s'")
    present = {_week_of(name) for (name,) in run(_NAMES) if name.startswith(_PREFIX)}
    for week in sorted(present):
        if (week + 1) * WEEK <= since:
            _attempt(run, f"DROP TABLE {_PREFIX}{week}")
    first = (now if begin is None else begin) // WEEK
    for week in range(first, now // WEEK + _WEEKS_AHEAD + 1):
        if week not in present:
            _attempt(
                run,
                f"CREATE TABLE {_PREFIX}{week} PARTITION OF history "
                f"FOR VALUES FROM ({week * WEEK}) TO ({(week + 1) * WEEK})",
            )
    run(b"SET LOCAL lock_timeout = '5s'")


def _week_of(name: str) -> int:
    return int(name.removeprefix(_PREFIX))


def _attempt(run: Callable[..., Any], statement: str) -> None:
    run(b"SAVEPOINT partition")
    try:
        run(statement.encode())
    except (psycopg.errors.LockNotAvailable, psycopg.errors.CheckViolation):
        # Others hold locks; or entries of that week are in the default partition and stay there.
        run(b"ROLLBACK TO partition")
    run(b"RELEASE partition")
