"""The SQL by name, in PostgreSQL's notation, and the locks."""

import re
from typing import Final, get_args

from foliot.store.sql.dialect import Lock
from foliot.store.sql.statements import read_statements, statements_of

LOCK_JOBS_BY_ID: Final = "jobs_by_id"
LOCK_DUE_JOBS: Final = "due_jobs"
LOCK_DUE_RUNS: Final = "due_runs"

_PACKAGE: Final = "foliot.store.postgres"
_PARAMETER: Final = re.compile(r"(?<!:):([a-z_]+)")
# SQLite tells the id of a new row without being asked. A row that is refused is no error here: an
# error would end the whole transaction.
_INSERTS: Final = (
    "add_alert",
    "add_calendar",
    "add_collection",
    "add_job",
    "add_run",
    "add_token",
    "open_incident",
)


def _translated(query: str) -> bytes:
    return _PARAMETER.sub(r"%(\1)s", query).replace("?", "%s").encode()


def _statements() -> dict[str, bytes]:
    texts = statements_of(_PACKAGE)
    for name in _INSERTS:
        insert = texts[name].removesuffix(";")
        texts[name] = f"{insert} ON CONFLICT DO NOTHING RETURNING id"
    return {name: _translated(text) for name, text in texts.items()}


def _locks() -> dict[str, bytes]:
    names = {*get_args(Lock), LOCK_JOBS_BY_ID, LOCK_DUE_JOBS, LOCK_DUE_RUNS}
    texts = read_statements(_PACKAGE, "locks.sql", names=names)
    return {name: _translated(text) for name, text in texts.items()}


STATEMENTS: Final = _statements()
LOCKS: Final = _locks()
