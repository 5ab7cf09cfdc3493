"""Rows to jobs and back, definitions sealed."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final, Protocol

import msgspec
from msgspec.structs import replace

from foliot.core.errors import (
    FoliotError,
    NotReadableHere,
    UnknownDefinition,
    UnknownKey,
    Unreadable,
)
from foliot.core.ids import CollectionId, JobId
from foliot.core.model.change import Change
from foliot.core.model.collection import Collection
from foliot.core.model.job import Definition, Job, JobState
from foliot.core.model.run import DueRun
from foliot.core.model.run_outcome import RunOutcome
from foliot.store.sealing.keyring import CannotOpen, KeyNotGiven, Keyring
from foliot.store.sql.columns import COLLECTION, JOB, JOB_PROGRESS, JOB_STATE
from foliot.store.sql.dialect import Parameters, Row
from foliot.store.sql.rows import shared_collection_of

# Looked up rather than called: every row read pays for it.
JOB_STATES: Final = {state.value: state for state in JobState}
_RUN_OUTCOMES: Final = {outcome.value: outcome for outcome in RunOutcome}
_KEPT_JOBS: Final = 2048

_write_definition = msgspec.msgpack.Encoder().encode
_read_definition = msgspec.msgpack.Decoder(Definition).decode


class _JobReader(Protocol):
    def __call__(self, row: Row, keyring: Keyring, known: Definition | None = None, /) -> Job: ...


def located_job_of(row: Row, keyring: Keyring) -> tuple[Collection, Job | None]:
    """Return the collection in a row, and the job behind it if there is one."""
    collection, job = shared_collection_of(row[: len(COLLECTION)]), row[len(COLLECTION) :]
    return collection, None if job[0] is None else kept_job_of(job, keyring)


def row_of_advance(job: Job) -> Row:
    """Return the id and the state of a job, then what planning changes."""
    return (
        job.id,
        str(job.state),
        job.next_at,
        job.occurrence,
        job.execution_count,
        job.planned_at,
    )


def row_of_settlement(job: Job) -> Row:
    """Return the id and the state of a job, then what an attempt changes."""
    return (
        job.id,
        str(job.state),
        job.last_execution_at,
        job.failure_count,
        job.faulted_count,
        job.settled_at,
        job.settled_well,
        job.last_outcome and str(job.last_outcome),
        job.consecutive_failures,
    )


def row_of_definition(job: Job, keyring: Keyring, change: Change | None) -> Parameters:
    """Return the columns of a job's definition, sealed, and of the change that it comes with."""
    context = seal_context(job.collection_id, job.name.lower())
    sealed = keyring.seal(_write_definition(job.definition), context)
    return {"id": job.id, "sealed": sealed, **row_of_change(change)}


def row_of_change(change: Change | None) -> Parameters:
    """Return the columns that tell who changed a job, empty if no caller did."""
    if change is None:
        return {"changed_at": None, "changed_by": None}
    return {"changed_at": change.at, "changed_by": change.by}


def seal_context(collection_id: CollectionId, folded_name: str) -> bytes:
    """Return what a definition is sealed with, so that it does not open as another job's."""
    return b"job %d %b" % (collection_id, folded_name.encode())


def open_definition(sealed: bytes, context: bytes, keyring: Keyring) -> Definition | None:
    """Return a definition by its context, or None if it cannot be read."""
    try:
        return _read_definition(keyring.open(sealed, context))
    except (CannotOpen, msgspec.MsgspecError):
        return None


def _definition(
    sealed: bytes,
    job: tuple[JobId, CollectionId, str],
    keyring: Keyring,
    known: Definition | None,
) -> Definition:
    try:
        return _opened(sealed, *job, keyring)
    except (NotReadableHere, Unreadable):
        if known is None:
            raise
        return known


# A job is read when it is claimed and again when its attempt has ended, and most run often.
@lru_cache(maxsize=4096)
def _opened(
    sealed: bytes, id_: JobId, collection_id: CollectionId, name: str, keyring: Keyring
) -> Definition:
    try:
        return _read_definition(keyring.open(sealed, seal_context(collection_id, name.lower())))
    except KeyNotGiven:
        raise UnknownKey(id_, name) from None
    except CannotOpen as refusal:
        raise Unreadable(id_, name, str(refusal)) from None
    except (msgspec.MsgspecError, FoliotError):
        # Neither of these is quoted: it might show a part of the definition.
        raise UnknownDefinition(id_, name) from None


# How a field is made of the columns, and a column of a job, where they are not the same.
_FIELDS: Final = {
    "definition": "_definition(sealed, (id, collection_id, name), keyring, known)",
    "state": "JOB_STATES[state]",
    "settled_well": "bool(settled_well)",
    "last_outcome": "RUN_OUTCOMES.get(last_outcome)",
}
_COLUMNS: Final = {
    "state": "job.state.value",
    "last_outcome": "(job.last_outcome and job.last_outcome.value)",
}


def _fields(names: Iterable[str]) -> str:
    return ", ".join(f"{name}={_FIELDS.get(name, name)}" for name in names)


def _value(column: str) -> str:
    return _COLUMNS.get(column, f"job.{column}")


# Compiled from the names of the columns, as dataclasses compile `__init__`: to read a row in a loop
# over the names takes twice as long. msgspec is quickest with fields in the order it declares them.
_SOURCE: Final = f"""
def job_of(row, keyring, known=None):
    {", ".join(JOB)} = row
    return Job({_fields(Job.__struct_fields__)})

def current_run_of(row, claimed):
    _, {", ".join(JOB_STATE)}, open_runs = row
    job = replace(claimed.job, {_fields(JOB_STATE)})
    return DueRun(claimed.run, job, claimed.collection, open_runs)

def row_of_job(job):
    columns = {{{", ".join(f"{column!r}: {_value(column)}" for column in JOB[:-1])}}}
    columns["folded_name"] = job.name.lower()
    return columns

def row_of_progress(job):
    return ({", ".join(map(_value, JOB_PROGRESS))}, job.id, job.state.value)
"""


def _compiled() -> dict[str, Any]:
    namespace: dict[str, Any] = {
        "DueRun": DueRun,
        "JOB_STATES": JOB_STATES,
        "Job": Job,
        "RUN_OUTCOMES": _RUN_OUTCOMES,
        "_definition": _definition,
        "replace": replace,
    }
    exec(compile(_SOURCE, "<job rows>", "exec"), namespace)  # noqa: S102  (text of this file alone)
    return namespace


_functions: Final = _compiled()

# Returns the job in a row, its definition opened; if it does not open, the one that is known.
job_of: Final[_JobReader] = _functions["job_of"]

# The same for callers, who read the same jobs again and again: a job whose row is as it was is the
# same value, by which the API knows what it has written of it. An engine changes each job it reads.
kept_job_of: Final[Callable[[Row, Keyring], Job]] = lru_cache(_KEPT_JOBS)(job_of)

# Returns a claimed run with the current state of its job, and how many of its runs are open.
current_run_of: Final[Callable[[Row, DueRun], DueRun]] = _functions["current_run_of"]

# Returns the columns of a job; its definition has a row of its own.
row_of_job: Final[Callable[[Job], Parameters]] = _functions["row_of_job"]

# Returns the schedule and the counters of a job, in order, then its id and its state.
row_of_progress: Final[Callable[[Job], Row]] = _functions["row_of_progress"]
