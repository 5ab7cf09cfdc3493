"""Rows to jobs and back, definitions sealed."""

from functools import lru_cache
from operator import attrgetter
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
from foliot.core.model.collection import Collection
from foliot.core.model.job import Definition, Job, JobState
from foliot.core.model.run import DueRun
from foliot.store.sealing.keyring import CannotOpen, KeyNotGiven, Keyring
from foliot.store.sql.columns import COLLECTION, JOB, JOB_PROGRESS, JOB_STATE
from foliot.store.sql.dialect import Parameters, Row
from foliot.store.sql.rows import collection_of

# Looked up rather than called: every row read pays for it.
JOB_STATES: Final = {state.value: state for state in JobState}

_write_definition = msgspec.msgpack.Encoder().encode
_read_definition = msgspec.msgpack.Decoder(Definition).decode
_progress_of = attrgetter(*JOB_PROGRESS)


class _JobReader(Protocol):
    def __call__(self, row: Row, keyring: Keyring, known: Definition | None = None, /) -> Job: ...


class _CurrentStateReader(Protocol):
    def __call__(self, row: Row, claimed: DueRun, /) -> DueRun: ...


def located_job_of(row: Row, keyring: Keyring) -> tuple[Collection, Job | None]:
    """Return the collection in a row, and the job behind it if there is one."""
    job = row[len(COLLECTION) :]
    return collection_of(row[: len(COLLECTION)]), None if job[0] is None else job_of(job, keyring)


def row_of_job(job: Job) -> Parameters:
    """Return the columns of a job; its definition has a row of its own."""
    columns = {column: getattr(job, column) for column in JOB[:-1]}
    return columns | {"state": job.state.value, "folded_name": job.name.lower()}


def row_of_progress(job: Job) -> Row:
    """Return the schedule and the counters of a job, in order, then its id and its state."""
    return (*_progress_of(job), job.id, job.state.value)


def row_of_advance(job: Job) -> Row:
    """Return the id and the state of a job, then what planning changes."""
    return (job.id, job.state.value, job.next_at, job.occurrence, job.execution_count)


def row_of_settlement(job: Job) -> Row:
    """Return the id and the state of a job, then what an attempt changes."""
    return (
        job.id,
        job.state.value,
        job.last_execution_at,
        job.failure_count,
        job.faulted_count,
        job.settled_at,
        job.settled_well,
    )


def row_of_definition(job: Job, keyring: Keyring) -> Parameters:
    """Return the columns of a job's definition, sealed."""
    context = seal_context(job.collection_id, job.name.lower())
    return {"id": job.id, "sealed": keyring.seal(_write_definition(job.definition), context)}


def seal_context(collection_id: CollectionId, folded_name: str) -> bytes:
    """Return what a definition is sealed with, so that it does not open as another job's."""
    return b"job %d %b" % (collection_id, folded_name.encode())


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


_CONVERSIONS: Final = {"state": "JOB_STATES[state]", "settled_well": "bool(settled_well)"}


def _arguments(columns: tuple[str, ...]) -> str:
    return ", ".join(f"{column}={_CONVERSIONS.get(column, column)}" for column in columns)


# Compiled from the names of the columns, as dataclasses compile `__init__`: to read every row in a
# loop over the names would take half as long again.
_READERS: Final = f"""
def job_of(row, keyring, known=None):
    {", ".join(JOB)} = row
    definition = _definition(sealed, (id, collection_id, name), keyring, known)
    return Job({_arguments(JOB[:-1])}, definition=definition)

def current_run_of(row, claimed):
    _, {", ".join(JOB_STATE)}, open_runs = row
    job = replace(claimed.job, {_arguments(JOB_STATE)})
    return DueRun(claimed.run, job, claimed.collection, open_runs)
"""


def _compiled() -> dict[str, Any]:
    namespace: dict[str, Any] = {
        "DueRun": DueRun,
        "JOB_STATES": JOB_STATES,
        "Job": Job,
        "_definition": _definition,
        "replace": replace,
    }
    exec(compile(_READERS, "<job rows>", "exec"), namespace)  # noqa: S102  (text of this file alone)
    return namespace


_compiled_readers: Final = _compiled()

# Returns the job in a row, its definition opened; if it does not open, the one that is known.
job_of: Final[_JobReader] = _compiled_readers["job_of"]

# Returns a claimed run with the current state of its job, and of how many runs are open.
current_run_of: Final[_CurrentStateReader] = _compiled_readers["current_run_of"]
