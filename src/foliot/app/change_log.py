"""The log of changes: what was changed; the log's context knows by whom."""

from foliot.core.ids import CollectionKey
from foliot.core.model.deployment import DeploymentKey
from foliot.ports.logs import collection_text, get_logger

_log = get_logger("foliot.changes")


def log_change(
    event: str, key: CollectionKey | None = None, job: str | None = None, **fields: object
) -> None:
    """Log a change that is stored."""
    collection = None if key is None else collection_text(key)
    _log.info(event, collection=collection, job=job, **fields)


def log_deployment(event: str, key: DeploymentKey, **fields: object) -> None:
    """Log that the record of a deployment is stored, or is gone."""
    _log.info(event, deployment=key.name, group=f"{key.subscription}/{key.group}", **fields)
