"""The log of changes: what was changed; the log's context knows by whom."""

from foliot.core.ids import CollectionKey
from foliot.ports.logs import collection_text, get_logger

_log = get_logger("foliot.changes")


def log_change(
    event: str, key: CollectionKey | None = None, job: str | None = None, **fields: object
) -> None:
    """Log a change that is stored."""
    collection = None if key is None else collection_text(key)
    _log.info(event, collection=collection, job=job, **fields)
