"""Rows to resource groups, collections, history entries, tokens and nodes, and back."""

from functools import lru_cache
from typing import Final

import msgspec

from foliot.core.ids import CollectionKey
from foliot.core.model.collection import Collection, CollectionState, Quota, Sku
from foliot.core.model.history import AttemptStatus, HistoryEntry, RunOutcome
from foliot.core.model.node import Node
from foliot.core.model.resource_group import ResourceGroup
from foliot.core.model.run import Trigger
from foliot.core.model.token import Role, Scope, Token
from foliot.store.sql.dialect import Parameters, Row

# Looked up rather than called: every row read pays for it.
_COLLECTION_STATES: Final = {state.value: state for state in CollectionState}
_SKUS: Final = {sku.value: sku for sku in Sku}
_SHARED_COLLECTIONS: Final = 1024

_write_json = msgspec.json.Encoder().encode
_read_tags = msgspec.json.Decoder(dict[str, str]).decode
_read_quota = msgspec.json.Decoder(Quota).decode


def resource_group_of(row: Row) -> ResourceGroup:
    """Return the resource group in a row."""
    subscription, name, location, tags, is_stored = row
    return ResourceGroup(
        subscription=subscription,
        name=name,
        location=location,
        tags=None if tags is None else _read_tags(tags),
        is_stored=bool(is_stored),
    )


def row_of_resource_group(group: ResourceGroup) -> Parameters:
    """Return the columns of a resource group."""
    return {
        "subscription": group.subscription,
        "name": group.name,
        "folded_subscription": group.subscription.lower(),
        "folded_name": group.name.lower(),
        "location": group.location,
        "tags": None if group.tags is None else _write_json(group.tags).decode(),
    }


def collection_of(row: Row) -> Collection:
    """Return the collection in a row."""
    id_, subscription, group, name, location, tags, sku, state, quota, *written = row
    created_at, changed_at, changed_by = written
    return Collection(
        id=id_,
        key=CollectionKey(subscription, group, name),
        location=location,
        tags=None if tags is None else _read_tags(tags),
        sku=_SKUS[sku],
        state=_COLLECTION_STATES[state],
        quota=None if quota is None else _read_quota(quota),
        created_at=created_at,
        changed_at=changed_at,
        changed_by=changed_by,
    )


# Many jobs are of one collection: it is made once for as long as its row is the same.
shared_collection_of: Final = lru_cache(_SHARED_COLLECTIONS)(collection_of)


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
        "created_at": collection.created_at,
        "changed_at": collection.changed_at,
        "changed_by": collection.changed_by,
    }


def history_entry_of(row: Row) -> HistoryEntry:
    """Return the attempt in a row."""
    (
        number,
        job_id,
        started_at,
        ended_at,
        expected_at,
        status,
        message,
        retry_count,
        repeat_count,
        is_error_action,
        run_id,
        trigger,
        tag,
        outcome,
        reason,
        host,
        status_code,
        last_expected_at,
        skipped_count,
        timings,
    ) = row
    return HistoryEntry(
        number=number,
        job_id=job_id,
        started_at=started_at,
        ended_at=ended_at,
        expected_at=expected_at,
        status=AttemptStatus(status),
        message=message,
        retry_count=retry_count,
        repeat_count=repeat_count,
        is_error_action=bool(is_error_action),
        run_id=run_id,
        trigger=None if trigger is None else Trigger(trigger),
        tag=tag,
        outcome=None if outcome is None else RunOutcome(outcome),
        reason=reason,
        host=host,
        status_code=status_code,
        last_expected_at=last_expected_at,
        skipped_count=skipped_count,
        timings=timings,
    )


def row_of_history_entry(entry: HistoryEntry) -> Row:
    """Return the columns of a new attempt, in order."""
    # Every attempt pays for it: `str` takes a quarter of the time of `value`.
    return (
        entry.job_id,
        entry.started_at,
        entry.ended_at,
        entry.expected_at,
        str(entry.status),
        entry.message,
        entry.retry_count,
        entry.repeat_count,
        entry.is_error_action,
        entry.run_id,
        None if entry.trigger is None else str(entry.trigger),
        entry.tag,
        None if entry.outcome is None else str(entry.outcome),
        entry.reason,
        entry.host,
        entry.status_code,
        entry.last_expected_at,
        entry.skipped_count,
        entry.timings,
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
    id_, name, version, started_at, seen_at, has_api, has_engine, in_flight, waiting, keys = row
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
        keys=keys,
    )
