"""The sealed values of a database with their contexts, and which of them some keys do not open."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from foliot.store.sealing.keyring import HEADER_SIZE, CannotOpen, KeyNotGiven, Keyring, key_name
from foliot.store.sql.alerts import alert_context
from foliot.store.sql.audit import audit_context
from foliot.store.sql.columns import AUDIT
from foliot.store.sql.deployments import deployment_context
from foliot.store.sql.dialect import Row
from foliot.store.sql.job_rows import seal_context

_MOST_NAMED: Final = 5
_TOLD_EVERY: Final = 500


class SealedTable(NamedTuple):
    """A table with sealed values.

    `since` is the schema version that has brought it, and `noun` says what a row is to people.
    `columns` are those that `context` is made of; definitions have theirs in the table `job`.
    """

    name: str
    since: int
    noun: str
    columns: Sequence[str]
    context: Callable[[Row], bytes]


def _of_job(row: Row) -> bytes:
    return seal_context(*row)


def _of_deployment(row: Row) -> bytes:
    return deployment_context(*row)


def _of_alert(row: Row) -> bytes:
    return alert_context(*row)


_KEY_IN_COLLECTION: Final = ("collection_id", "folded_name")
SEALED_TABLES: Final = (
    SealedTable("definition", 1, "job", _KEY_IN_COLLECTION, _of_job),
    SealedTable(
        "deployment",
        5,
        "deployment",
        ("folded_subscription", "folded_group", "folded_name"),
        _of_deployment,
    ),
    SealedTable("audit", 13, "audit entry", AUDIT[1:-1], audit_context),
    SealedTable("alert", 11, "alert", _KEY_IN_COLLECTION, _of_alert),
)


class SealedValue(NamedTuple):
    """A sealed value; `name` is the last column of its context."""

    noun: str
    name: str
    context: bytes
    sealed: bytes


class OpenedValues(Struct, frozen=True):
    """How many values there are, and those that do not open: by kind, and by the missing key."""

    total: int
    closed: Counter[str]
    missing_keys: Counter[str]
    jobs: list[str]


def sealed_value(table: SealedTable, columns: Row, sealed: bytes) -> SealedValue:
    """Return the value of a row, from the columns of its context."""
    return SealedValue(table.noun, str(columns[-1]), table.context(columns), sealed)


def open_all(
    values: Iterable[SealedValue], keyring: Keyring, progress: Callable[[int], None]
) -> OpenedValues:
    """Open every value; `progress` is told how many are done."""
    total, closed, missing = 0, Counter[str](), Counter[str]()
    jobs: list[str] = []
    for total, value in enumerate(values, start=1):
        try:
            keyring.open(value.sealed, value.context)
        except CannotOpen as refusal:
            closed[value.noun] += 1
            if isinstance(refusal, KeyNotGiven):
                missing[key_name(value.sealed[:HEADER_SIZE])] += 1
            if value.noun == "job" and len(jobs) < _MOST_NAMED:
                jobs.append(value.name)
        if total % _TOLD_EVERY == 0:
            progress(total)
    return OpenedValues(total, closed, missing, jobs)
