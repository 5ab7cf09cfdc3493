"""The statements that the engine runs for each occurrence, prepared on a connection.

To plan such a statement takes PostgreSQL longer than to run it. Prepared, several are also sent in
one message, with their values as literals: ids, times and states. What a target has answered is
sent as a parameter, so that no log of the database shows it.
"""

import re
from typing import Final, NamedTuple

from foliot.store.postgres.arrays import Array
from foliot.store.postgres.statements import (
    LOCK_DUE_JOBS,
    LOCK_DUE_RUNS,
    LOCK_JOBS_BY_ID,
    LOCKS,
    STATEMENTS,
)
from foliot.store.sql.dialect import Parameters, Row

_LOCKS: Final = (LOCK_DUE_JOBS, LOCK_DUE_RUNS, LOCK_JOBS_BY_ID)
_STATEMENTS: Final = (
    "due_jobs",
    "due_runs",
    "earliest_due_at",
    "plan_runs",
    "save_runs",
    "delete_runs",
    "advance_jobs",
    "current_state",
    "settle_jobs",
)
_PARAMETER: Final = re.compile(rb"%(?:\(([a-z_]+)\))?s")


class PreparedStatement(NamedTuple):
    """A statement by its name; its parameters have names, unless they are given in order."""

    name: bytes
    text: bytes
    parameters: tuple[str, ...]


def _prepared(name: str, statement: bytes) -> PreparedStatement:
    found = [each.decode() for each in _PARAMETER.findall(statement)]
    if not all(found):
        numbers = iter(range(1, len(found) + 1))
        text = _PARAMETER.sub(lambda _: b"$%d" % next(numbers), statement)
        return PreparedStatement(name.encode(), text, ())
    names = tuple(dict.fromkeys(found))
    places = {each.encode(): b"$%d" % place for place, each in enumerate(names, 1)}
    text = _PARAMETER.sub(lambda match: places[match[1]], statement)
    return PreparedStatement(name.encode(), text, names)


PREPARED: Final = {
    **{LOCKS[name]: _prepared(f"lock_{name}", LOCKS[name]) for name in _LOCKS},
    **{STATEMENTS[name]: _prepared(name, STATEMENTS[name]) for name in _STATEMENTS},
}
# Prepared by the driver and sent as parameters.
PARAMETERS: Final = frozenset((STATEMENTS["add_history"],))
PREPARE: Final = b"; ".join(
    b"PREPARE %b AS %b" % (each.name, each.text.removesuffix(b";")) for each in PREPARED.values()
)


def execution(statement: bytes, given: Parameters | Row) -> bytes:
    """Return a prepared statement with its values."""
    prepared = PREPARED[statement]
    values: Row = (
        tuple(given[name] for name in prepared.parameters) if isinstance(given, dict) else given
    )
    return b"EXECUTE %b (%b)" % (prepared.name, b", ".join(map(_literal, values)))


def _literal(value: Array | int | None) -> bytes:
    if value is None:
        return b"NULL"
    if isinstance(value, Array):
        return b"'%b'" % value.replace(b"'", b"''")
    return b"%d" % value
