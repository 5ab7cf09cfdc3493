"""Where a job was moved to, as the details of an audit entry tell it."""

from typing import Final, NamedTuple

from foliot.core.ids import CollectionKey
from foliot.core.model.audit import AuditAction, AuditDetails, AuditEntry, AuditSubject

_TO: Final = "to "
_PARTS: Final = 4


class JobPlace(NamedTuple):
    """The collection and the name of a job."""

    key: CollectionKey
    name: str


def place_of(job: AuditSubject) -> JobPlace:
    """Return the place of the job that an entry is about."""
    key = CollectionKey(job.subscription or "", job.group or "", job.collection or "")
    return JobPlace(key, job.name or "")


def departure(to: AuditSubject) -> AuditDetails:
    """Return the details of the entry where a job was before."""
    return AuditDetails(reason=f"{_TO}{_text(to)}")


def arrival(origin: AuditSubject) -> AuditDetails:
    """Return the details of the entry where a job is now."""
    return AuditDetails(reason=f"from {_text(origin)}")


def moved_to(entry: AuditEntry) -> JobPlace | None:
    """Return where the job of an entry was moved to; None if the entry does not tell."""
    reason = entry.details.reason or ""
    parts = reason.removeprefix(_TO).split("/", _PARTS - 1)
    is_departure = entry.action is AuditAction.MOVED and reason.startswith(_TO)
    if not is_departure or len(parts) < _PARTS:
        return None
    subscription, group, collection, name = parts
    return JobPlace(CollectionKey(subscription, group, collection), name)


def _text(job: AuditSubject) -> str:
    return f"{job.subscription}/{job.group}/{job.collection}/{job.name}"
