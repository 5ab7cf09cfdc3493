"""Recognises a wrong key when a database is opened, and seals its rows with the newest key."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from foliot.core.instant import Instant
from foliot.core.model.node import Node, is_alive, key_problem
from foliot.store.errors import WrongKey
from foliot.store.sealing.keyring import HEADER_SIZE, CannotOpen, Keyring
from foliot.store.sql.alerts import alert_context
from foliot.store.sql.audit import audit_context
from foliot.store.sql.deployments import deployment_context
from foliot.store.sql.dialect import Dialect, Row
from foliot.store.sql.job_rows import row_of_change, seal_context
from foliot.store.sql.record_runs import Progress, no_progress
from foliot.store.sql.rows import node_of
from foliot.store.sql.statements import Statement

_CHECK = b"foliot"
_CHECK_CONTEXT = b"seal check"
_BATCH_SIZE = 200

_Reseal = Callable[[Dialect, Keyring, Row], None]


def check_key(dialect: Dialect, keyring: Keyring) -> None:
    """Refuse keys that are not those of the database; a new database adopts them."""
    with dialect.transaction():
        row = dialect.run("seal_check").fetchone()
        if row is None:
            _save_check(dialect, keyring)
            return
    try:
        keyring.open(row[0], _CHECK_CONTEXT)
    except CannotOpen as refusal:
        raise WrongKey(
            f"The secret key does not fit the database: {refusal}."
            " Give the key that it was last used with, after a new one if you want to change it."
        ) from None


def fits(keyring: Keyring, sealed: bytes) -> bool:
    """Tell whether the keys are those of a database, by the value of its `seal_check`."""
    try:
        return keyring.open(sealed, _CHECK_CONTEXT) == _CHECK
    except CannotOpen:
        return False


def nodes_of(dialect: Dialect) -> list[Node]:
    """Return the nodes that have sent heartbeats."""
    with dialect.transaction():
        return [node_of(row) for row in dialect.run("nodes").fetchall()]


def check_nodes(nodes: Sequence[Node], keyring: Keyring, own: str | None, now: Instant) -> None:
    """Refuse keys with which this process and a node that runs would not open each other's jobs.

    `own` is the id of this node, whose earlier process has ended.
    """
    for node in nodes:
        if node.id != own and is_alive(node, now):
            problem = key_problem(keyring.names, node)
            if problem is not None:
                raise WrongKey(f"The secret keys do not fit those of other nodes: {problem}.")


def move_to_newest_key(
    dialect: Dialect, keyring: Keyring, progress: Progress = no_progress
) -> None:
    """Seal again what an older key has sealed; a row that does not open stays as it is."""
    if not keyring.has_older_keys:
        return
    of_newest = {"size": HEADER_SIZE, "header": keyring.header}
    with dialect.transaction():
        (total,) = dialect.run("count_older_seals", of_newest).fetchone() or (0,)
    done = 0
    for older, reseal in _RESEALS.items():
        for rows in _resealed(dialect, keyring, older, reseal):
            # Nodes may have added some since they were counted.
            done = min(done + rows, total)
            if total:
                progress("Encrypting with the new key", done, total)
    with dialect.transaction():
        _save_check(dialect, keyring)


def _resealed(
    dialect: Dialect, keyring: Keyring, older: Statement, reseal: _Reseal
) -> Iterator[int]:
    """Seal all rows that a statement finds, in small transactions; go through their sizes."""
    last_id: int | None = 0
    while last_id is not None:
        with dialect.transaction():
            page = {"after": last_id, "size": HEADER_SIZE, "header": keyring.header}
            rows = dialect.run(older, page | {"limit": _BATCH_SIZE}).fetchall()
            for row in rows:
                reseal(dialect, keyring, row)
        yield len(rows)
        last_id = rows[-1][0] if rows else None


def _save_check(dialect: Dialect, keyring: Keyring) -> None:
    sealed = keyring.seal(_CHECK, _CHECK_CONTEXT)
    dialect.run("save_seal_check", {"sealed": sealed})


def _reseal_definition(dialect: Dialect, keyring: Keyring, row: Row) -> None:
    job_id, collection_id, folded_name, sealed = row
    renewed = _renewed(keyring, sealed, seal_context(collection_id, folded_name))
    if renewed is not None:
        dialect.run("save_definition", {"id": job_id, "sealed": renewed, **row_of_change(None)})


def _reseal_deployment(dialect: Dialect, keyring: Keyring, row: Row) -> None:
    id_, subscription, group, name, sealed = row
    renewed = _renewed(keyring, sealed, deployment_context(subscription, group, name))
    if renewed is not None:
        dialect.run("reseal_deployment", {"id": id_, "sealed": sealed, "renewed": renewed})


def _reseal_audit(dialect: Dialect, keyring: Keyring, row: Row) -> None:
    id_, *columns, sealed = row
    renewed = _renewed(keyring, sealed, audit_context(tuple(columns)))
    if renewed is not None:
        dialect.run("reseal_audit", {"id": id_, "renewed": renewed})


def _reseal_alert(dialect: Dialect, keyring: Keyring, row: Row) -> None:
    id_, collection_id, folded_name, sealed = row
    renewed = _renewed(keyring, sealed, alert_context(collection_id, folded_name))
    if renewed is not None:
        dialect.run("reseal_alert", {"id": id_, "sealed": sealed, "renewed": renewed})


_RESEALS: Final[Mapping[Statement, _Reseal]] = {
    "older_seals": _reseal_definition,
    "older_deployment_seals": _reseal_deployment,
    "older_audit_seals": _reseal_audit,
    "older_alert_seals": _reseal_alert,
}


def _renewed(keyring: Keyring, sealed: bytes, context: bytes) -> bytes | None:
    """Return a value sealed with the newest key, or None if it does not open."""
    try:
        return keyring.seal(keyring.open(sealed, context), context)
    except CannotOpen:
        return None
