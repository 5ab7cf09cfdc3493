"""Collections, jobs and their actions, as values.

A field that is None was not given: nothing is filled in that a client did not write.
"""

from enum import StrEnum

from msgspec import Struct

from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.instant import Instant, Moment
from foliot.core.recurrence import Frequency, Recurrence
from foliot.core.secret import Secret


class Sku(StrEnum):
    """The plan of a collection."""

    FREE = "Free"
    STANDARD = "Standard"
    P10_PREMIUM = "P10Premium"
    P20_PREMIUM = "P20Premium"


class CollectionState(StrEnum):
    """Whether the jobs of a collection run: only those of an enabled one do."""

    ENABLED = "Enabled"
    DISABLED = "Disabled"
    SUSPENDED = "Suspended"


class MaxRecurrence(Struct, frozen=True):
    """The fastest recurrence a quota allows."""

    frequency: Frequency
    interval: int | None = None


class Quota(Struct, frozen=True, kw_only=True):
    """Limits of a collection's own, below those of its plan."""

    max_job_count: int | None = None
    max_job_occurrence: int | None = None
    max_recurrence: MaxRecurrence | None = None


class Collection(Struct, frozen=True, kw_only=True):
    """Jobs that share a plan, a quota and a state. An id of 0 is not stored yet."""

    id: CollectionId = CollectionId(0)
    key: CollectionKey
    location: str | None = None
    tags: dict[str, str] | None = None
    sku: Sku = Sku.STANDARD
    state: CollectionState = CollectionState.ENABLED
    quota: Quota | None = None


class Duration(Struct, frozen=True):
    """A length of time in the notation a client gave it in."""

    text: str
    ticks: int


class RetryKind(StrEnum):
    """Whether a failed attempt is repeated."""

    NONE = "none"
    FIXED = "fixed"


class RetryPolicy(Struct, frozen=True, kw_only=True):
    """How often and how soon a failed attempt is repeated."""

    kind: RetryKind | None = None
    interval: Duration | None = None
    count: int | None = None


class BasicAuthentication(Struct, frozen=True, kw_only=True, tag="basic"):
    """User name and password."""

    username: str | None = None
    password: Secret | None = None


class ClientCertificate(Struct, frozen=True, kw_only=True, tag="certificate"):
    """A certificate with its key, as a PFX file in base64, and what can be told of it."""

    pfx: Secret | None = None
    password: Secret | None = None
    thumbprint: str | None = None
    expires_at: Instant | None = None
    subject: str | None = None


class OAuth(Struct, frozen=True, kw_only=True, tag="oauth"):
    """Client credentials for a token of Azure Active Directory."""

    tenant: str | None = None
    audience: str | None = None
    client_id: str | None = None
    secret: Secret | None = None


class NoAuthentication(Struct, frozen=True, tag="none"):
    """The contract's own word for no authentication, kept because it is given back."""


HttpAuthentication = BasicAuthentication | ClientCertificate | OAuth | NoAuthentication


class HttpRequest(Struct, frozen=True, kw_only=True, tag="http"):
    """A request to send."""

    uri: str
    method: str
    headers: dict[str, str] | None = None
    body: str | None = None
    authentication: HttpAuthentication | None = None


class QueueMessage(Struct, frozen=True, kw_only=True, tag="queue"):
    """A message to put on a storage queue."""

    storage_account: str
    queue_name: str
    sas_token: Secret | None = None
    message: str
    format: str | None = None


class ServiceBusAuthentication(Struct, frozen=True, kw_only=True):
    """A shared access key."""

    sas_key: Secret | None = None
    sas_key_name: str | None = None
    kind: str | None = None


class BrokeredProperties(Struct, frozen=True, kw_only=True):
    """Properties of a service bus message that the broker itself reads."""

    content_type: str | None = None
    correlation_id: str | None = None
    force_persistence: bool | None = None
    label: str | None = None
    message_id: str | None = None
    partition_key: str | None = None
    reply_to: str | None = None
    reply_to_session_id: str | None = None
    scheduled_enqueue_at: Instant | None = None
    session_id: str | None = None
    time_to_live: Duration | None = None
    to: str | None = None
    via_partition_key: str | None = None


class ServiceBusMessage(Struct, frozen=True, kw_only=True, tag="bus"):
    """A message to send to a service bus queue or topic."""

    entity: str
    namespace: str
    transport: str | None = None
    authentication: ServiceBusAuthentication | None = None
    message: str
    brokered: BrokeredProperties | None = None
    custom: dict[str, str] | None = None


class ActionKind(StrEnum):
    """What an action does."""

    HTTP = "Http"
    HTTPS = "Https"
    STORAGE_QUEUE = "StorageQueue"
    SERVICE_BUS_QUEUE = "ServiceBusQueue"
    SERVICE_BUS_TOPIC = "ServiceBusTopic"


# The property that holds what belongs to each kind, as refusals name it.
PART_NAMES = {
    ActionKind.HTTP: "request",
    ActionKind.HTTPS: "request",
    ActionKind.STORAGE_QUEUE: "queueMessage",
    ActionKind.SERVICE_BUS_QUEUE: "serviceBusQueueMessage",
    ActionKind.SERVICE_BUS_TOPIC: "serviceBusTopicMessage",
}

ActionPart = HttpRequest | QueueMessage | ServiceBusMessage


class Action(Struct, frozen=True, kw_only=True):
    """What a job does when it runs, and what it does when that has failed for good."""

    kind: ActionKind
    part: ActionPart
    retry_policy: RetryPolicy | None = None
    error_action: "Action | None" = None


class Definition(Struct, frozen=True, kw_only=True):
    """What a client asked for: the part of a job that is stored sealed."""

    start: Moment | None = None
    action: Action
    recurrence: Recurrence | None = None


class JobState(StrEnum):
    """Where a job stands in its life; the last two are final."""

    ENABLED = "enabled"
    DISABLED = "disabled"
    COMPLETED = "completed"
    FAULTED = "faulted"


class Job(Struct, frozen=True, kw_only=True):
    """A job with its definition, its place in the calendar and its counters.

    `calendar_at` is the moment the calendar was accepted, `occurrence` how many occurrences have
    run since then; `generation` grows with every change of the calendar. `settled_at` is the
    planned time of the latest occurrence that has ended, `settled_well` whether it succeeded: they
    decide how the job ends. `ended_at` is when it came to a final state, None in the others. An id
    of 0 is not stored yet.
    """

    id: JobId = JobId(0)
    collection_id: CollectionId
    name: str
    definition: Definition
    state: JobState = JobState.ENABLED
    calendar_at: Instant
    next_at: Instant | None = None
    occurrence: int = 0
    generation: int = 1
    last_execution_at: Instant | None = None
    execution_count: int = 0
    failure_count: int = 0
    faulted_count: int = 0
    settled_at: Instant | None = None
    settled_well: bool = True
    ended_at: Instant | None = None


class AttemptStatus(StrEnum):
    """How an attempt ended, as history tells it."""

    COMPLETED = "completed"
    FAILED = "failed"
    POSTPONED = "postponed"


class HistoryEntry(Struct, frozen=True, kw_only=True):
    """One attempt, or one stretch of skipped occurrences. A number of 0 is not stored yet."""

    number: int = 0
    job_id: JobId
    started_at: Instant
    ended_at: Instant
    expected_at: Instant
    status: AttemptStatus
    message: str
    retry_count: int
    repeat_count: int
    is_error_action: bool = False


class Role(StrEnum):
    """What the bearer of a token may do: see; also change; also manage tokens."""

    READER = "Reader"
    CONTRIBUTOR = "Contributor"
    OWNER = "Owner"


class Scope(Struct, frozen=True, kw_only=True):
    """Where a token is good: everywhere, or in a subscription, a group, a collection (folded)."""

    subscription: str | None = None
    group: str | None = None
    collection: str | None = None


class Token(Struct, frozen=True, kw_only=True):
    """A bearer token, known by the hash of its secret alone. An id of 0 is not stored yet."""

    id: int = 0
    name: str
    digest: bytes
    role: Role
    scope: Scope = Scope()
    created_at: Instant
    expires_at: Instant | None = None
    last_used_at: Instant | None = None
