"""Rows to values and back."""

from functools import lru_cache
from typing import Any

import msgspec

from foliot.core.errors import (
    FoliotError,
    NotReadableHere,
    UnknownDefinition,
    UnknownKey,
    Unreadable,
)
from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.model.collection import Collection, CollectionState, Quota, Sku
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.core.model.job import Definition, Job, JobState
from foliot.core.model.node import Node
from foliot.core.model.token import Role, Scope, Token
from foliot.store.sealing.keyring import CannotOpen, KeyNotGiven, Keyring

Row = tuple[Any, ...]
Parameters = dict[str, Any]

# How the columns of a joined row are divided.
JOB_SIZE = 16
ENTRY_SIZE = 10
_COLLECTION_SIZE = 9

# Looked up rather than called: every row read pays for it.
JOB_STATES = {state.value: state for state in JobState}
_COLLECTION_STATES = {state.value: state for state in CollectionState}
_SKUS = {sku.value: sku for sku in Sku}

_write_json = msgspec.json.Encoder().encode
_read_tags = msgspec.json.Decoder(dict[str, str]).decode
_read_quota = msgspec.json.Decoder(Quota).decode
_write_definition = msgspec.msgpack.Encoder().encode
_read_definition = msgspec.msgpack.Decoder(Definition).decode


def collection_of(row: Row) -> Collection:
    """Return the collection in a row."""
    id_, subscription, group, name, location, tags, sku, state, quota = row
    return Collection(
        id=id_,
        key=CollectionKey(subscription, group, name),
        location=location,
        tags=None if tags is None else _read_tags(tags),
        sku=_SKUS[sku],
        state=_COLLECTION_STATES[state],
        quota=None if quota is None else _read_quota(quota),
    )


def row_of_collection(collection: Collection) -> Parameters:
    """Return the columns of a collection."""
    key, tags, quota = collection.key, collection.tags, collection.quota
    folded_subscription, folded_group, folded_name = key.folded
    return {
        "id": collection.id,
        "subscription": key.subscription,
        "group": key.group,
        "name": key.name,
        "folded_subscription": folded_subscription,
        "folded_group": folded_group,
        "folded_name": folded_name,
        "location": collection.location,
        "tags": None if tags is None else _write_json(tags).decode(),
        "sku": collection.sku.value,
        "state": collection.state.value,
        "quota": None if quota is None else _write_json(quota).decode(),
    }


def job_of(row: Row, keyring: Keyring, known: Definition | None = None) -> Job:
    """Return the job in a row, its definition opened, or else the one that is known of it."""
    (
        id_,
        collection_id,
        name,
        state,
        calendar_at,
        next_at,
        occurrence,
        generation,
        last_execution_at,
        execution_count,
        failure_count,
        faulted_count,
        settled_at,
        settled_well,
        ended_at,
        sealed,
    ) = row
    return Job(
        id=id_,
        collection_id=collection_id,
        name=name,
        definition=_definition(sealed, (id_, collection_id, name), keyring, known),
        state=JOB_STATES[state],
        calendar_at=calendar_at,
        next_at=next_at,
        occurrence=occurrence,
        generation=generation,
        last_execution_at=last_execution_at,
        execution_count=execution_count,
        failure_count=failure_count,
        faulted_count=faulted_count,
        settled_at=settled_at,
        settled_well=bool(settled_well),
        ended_at=ended_at,
    )


def located_job_of(row: Row, keyring: Keyring) -> tuple[Collection, Job | None]:
    """Return the collection in a row, and the job behind it if there is one."""
    job = row[_COLLECTION_SIZE:]
    return collection_of(row[:_COLLECTION_SIZE]), None if job[0] is None else job_of(job, keyring)


def row_of_job(job: Job) -> Parameters:
    """Return the columns of a job; its definition has a row of its own."""
    return {
        "id": job.id,
        "collection_id": job.collection_id,
        "name": job.name,
        "folded_name": job.name.lower(),
        "state": job.state.value,
        "calendar_at": job.calendar_at,
        "next_at": job.next_at,
        "occurrence": job.occurrence,
        "generation": job.generation,
        "last_execution_at": job.last_execution_at,
        "execution_count": job.execution_count,
        "failure_count": job.failure_count,
        "faulted_count": job.faulted_count,
        "settled_at": job.settled_at,
        "settled_well": job.settled_well,
        "ended_at": job.ended_at,
    }


def row_of_definition(job: Job, keyring: Keyring) -> Parameters:
    """Return the columns of a job's definition, sealed."""
    place = place_of(job.collection_id, job.name.lower())
    return {"id": job.id, "sealed": keyring.seal(_write_definition(job.definition), place)}


def place_of(collection_id: CollectionId, folded_name: str) -> bytes:
    """Return the place a definition is sealed for: it does not open as another job's."""
    return b"job %d %b" % (collection_id, folded_name.encode())


def history_entry_of(row: Row) -> HistoryEntry:
    """Return the attempt in a row."""
    number, job_id, started_at, ended_at, expected_at, status, message, retries, repeats, kind = row
    return HistoryEntry(
        number=number,
        job_id=job_id,
        started_at=started_at,
        ended_at=ended_at,
        expected_at=expected_at,
        status=AttemptStatus(status),
        message=message,
        retry_count=retries,
        repeat_count=repeats,
        is_error_action=bool(kind),
    )


def row_of_history_entry(entry: HistoryEntry) -> Row:
    """Return the columns of a new attempt, in order."""
    return (
        entry.job_id,
        entry.started_at,
        entry.ended_at,
        entry.expected_at,
        entry.status.value,
        entry.message,
        entry.retry_count,
        entry.repeat_count,
        entry.is_error_action,
    )


def token_of(row: Row) -> Token:
    """Return the token in a row."""
    id_, name, digest, role, subscription, group, collection, created_at, expires_at, used_at = row
    return Token(
        id=id_,
        name=name,
        digest=digest,
        role=Role(role),
        scope=Scope(subscription=subscription, group=group, collection=collection),
        created_at=created_at,
        expires_at=expires_at,
        last_used_at=used_at,
    )


def row_of_token(token: Token) -> Parameters:
    """Return the columns of a token."""
    return {
        "name": token.name,
        "digest": token.digest,
        "role": token.role.value,
        "scope_subscription": token.scope.subscription,
        "scope_group": token.scope.group,
        "scope_collection": token.scope.collection,
        "created_at": token.created_at,
        "expires_at": token.expires_at,
        "last_used_at": token.last_used_at,
    }


def node_of(row: Row) -> Node:
    """Return the node in a row."""
    id_, name, version, started_at, seen_at, has_api, has_engine, in_flight, waiting = row
    return Node(
        id=id_,
        name=name,
        version=version,
        started_at=started_at,
        seen_at=seen_at,
        has_api=bool(has_api),
        has_engine=bool(has_engine),
        in_flight=in_flight,
        waiting=waiting,
    )


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


# A job is read when it is claimed and again when its attempt is over, and most run often.
@lru_cache(maxsize=4096)
def _opened(
    sealed: bytes, id_: JobId, collection_id: CollectionId, name: str, keyring: Keyring
) -> Definition:
    try:
        return _read_definition(keyring.open(sealed, place_of(collection_id, name.lower())))
    except KeyNotGiven:
        raise UnknownKey(id_, name) from None
    except CannotOpen as refusal:
        raise Unreadable(id_, name, str(refusal)) from None
    except (msgspec.MsgspecError, FoliotError):
        # Neither of these is quoted: it might show a part of the definition.
        raise UnknownDefinition(id_, name) from None
