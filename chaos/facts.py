"""What is known after a scenario, from three sides; moments are microseconds since 1970."""

import time
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta

from msgspec import Struct

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# For each job, when it is expected to run.
Calendar = Mapping[str, Sequence[int]]


class Delivery(Struct, eq=False):
    """A request that arrived at a sink: it is written down before anything is answered."""

    job: str
    expected: int
    tag: str
    request_id: str
    arrived: int
    sink: str = ""
    client: int = 0
    answered: int | None = None


class Recorded(Struct, frozen=True):
    """An entry of a job's history, as the API tells it."""

    expected: int
    started: int
    ended: int
    status: str
    message: str


class Told(Struct, frozen=True):
    """What the API says of a job when all is over."""

    state: str
    executions: int
    history: Sequence[Recorded]


class Break(Struct, frozen=True):
    """A moment at which the server lost what it was doing, and when it was there again.

    If one of several nodes did, `clients` are the ports from which it called.
    """

    at: int
    until: int
    in_flight: int = 0
    clients: AbstractSet[int] | None = None


def now() -> int:
    """Return the present moment."""
    return time.time_ns() // 1000


def parse(text: str) -> int:
    """Read a moment as the server writes it."""
    return (datetime.fromisoformat(text) - _EPOCH) // timedelta(microseconds=1)


def written(moment: int) -> str:
    """Write a moment as the server reads it."""
    return (_EPOCH + timedelta(microseconds=moment)).isoformat().replace("+00:00", "Z")
