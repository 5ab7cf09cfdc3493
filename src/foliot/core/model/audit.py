"""Entries of the audit log: who changed what, when, from where, and how it was before and after."""

from enum import StrEnum

from msgspec import Struct

from foliot.core.instant import Instant
from foliot.core.model.alert import AlertDefinition
from foliot.core.model.collection import CollectionState, Quota, Sku
from foliot.core.model.job import Definition, JobState
from foliot.core.model.token import Role, Scope


class AuditAction(StrEnum):
    """What was done."""

    CREATED = "created"
    UPDATED = "updated"
    DELETED = "deleted"
    MOVED = "moved"
    COPIED = "copied"
    ENABLED = "enabled"
    DISABLED = "disabled"
    RUN = "run"
    RETRIED = "retried"
    CANCELED = "canceled"
    REDRIVEN = "redriven"
    BACKFILLED = "backfilled"
    TESTED = "tested"
    DEPLOYED = "deployed"
    REVOKED = "revoked"
    MUTED = "muted"
    UNMUTED = "unmuted"


class AuditKind(StrEnum):
    """What it was done to."""

    GROUP = "group"
    COLLECTION = "collection"
    JOB = "job"
    CALENDAR = "calendar"
    ALERT = "alert"
    DEPLOYMENT = "deployment"
    TOKEN = "token"  # noqa: S105  (a kind of thing)
    FAILURES = "failures"


class Author(Struct, frozen=True, kw_only=True):
    """Who made a change: a token with its role, from an address, by a request.

    What no token did has only a name: a user of the server's machine, the server, or a policy.
    """

    name: str = ""
    token_id: int | None = None
    role: Role | None = None
    address: str | None = None
    request_id: str | None = None


class AuditSubject(Struct, frozen=True, kw_only=True):
    """What a change was made to. Of a token, the parts say where it is good.

    Those that do not apply are None: a resource group has neither collection nor name.
    """

    kind: AuditKind
    subscription: str | None = None
    group: str | None = None
    collection: str | None = None
    name: str | None = None


class JobSnapshot(Struct, frozen=True, tag="job"):
    """A job as it was, with a mask in place of each secret."""

    state: JobState
    definition: Definition


class CollectionSnapshot(Struct, frozen=True, kw_only=True, tag="collection"):
    """A collection as it was."""

    location: str | None
    tags: dict[str, str] | None
    sku: Sku
    state: CollectionState
    quota: Quota | None


class GroupSnapshot(Struct, frozen=True, tag="group"):
    """A resource group as it was."""

    location: str | None
    tags: dict[str, str] | None


class CalendarSnapshot(Struct, frozen=True, tag="calendar"):
    """The days off of a calendar as they were, each a date or two dates with a slash."""

    dates: tuple[str, ...]


class AlertSnapshot(Struct, frozen=True, tag="alert"):
    """An alert as it was, with a mask in place of each secret."""

    is_enabled: bool
    definition: AlertDefinition


class TokenSnapshot(Struct, frozen=True, tag="token"):
    """A token without its secret."""

    id: int
    role: Role
    scope: Scope
    expires_at: Instant | None


Snapshot = (
    JobSnapshot
    | CollectionSnapshot
    | GroupSnapshot
    | CalendarSnapshot
    | AlertSnapshot
    | TokenSnapshot
)


class AuditDetails(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What else there is to tell: of a bulk operation how many it concerned, and some names."""

    tag: str | None = None
    runs: int | None = None
    since: Instant | None = None
    until: Instant | None = None
    collections: int | None = None
    jobs: int | None = None
    names: tuple[str, ...] = ()
    reason: str | None = None


NO_DETAILS = AuditDetails()


class AuditEntry(Struct, frozen=True, kw_only=True):
    """One entry; an id of 0 is not stored yet.

    With `is_cut`, `before` and `after` were too large to be kept whole. What is not `is_readable`
    was sealed with a key that is not given, or was changed in the database.
    """

    id: int = 0
    at: Instant
    author: Author
    action: AuditAction
    subject: AuditSubject
    before: Snapshot | None = None
    after: Snapshot | None = None
    details: AuditDetails = NO_DETAILS
    is_cut: bool = False
    is_readable: bool = True


class AuditFilter(Struct, frozen=True, kw_only=True):
    """Which entries are wanted; names match in any letter case, None matches everything."""

    has_tokens: bool = True

    since: Instant | None = None
    until: Instant | None = None
    who: str | None = None
    action: AuditAction | None = None
    kind: AuditKind | None = None
    subscription: str | None = None
    group: str | None = None
    collection: str | None = None
    name: str | None = None
