"""What a job does when it runs: an HTTP request, or a message to a queue or topic.

A field that is None was not given: no default is filled in, so that a client reads what it wrote.
"""

from enum import StrEnum

from msgspec import Struct

from foliot.core.instant import Instant
from foliot.core.secret import Secret


class Duration(Struct, frozen=True):
    """A length of time, with the text that the client wrote."""

    text: str
    ticks: int


class RetryKind(StrEnum):
    """Whether a failed attempt is repeated."""

    NONE = "none"
    FIXED = "fixed"
    EXPONENTIAL = "exponential"


class RetryOn(StrEnum):
    """Which failures are repeated: any, or only those that may be over soon."""

    ANY = "any"
    TRANSIENT = "transient"


class RetryPolicy(Struct, frozen=True, kw_only=True):
    """How often and how soon a failed attempt is repeated."""

    kind: RetryKind | None = None
    interval: Duration | None = None
    count: int | None = None
    max_interval: Duration | None = None
    on: RetryOn | None = None


class BasicAuthentication(Struct, frozen=True, kw_only=True, tag="basic"):
    """User name and password."""

    username: str | None = None
    password: Secret | None = None


class ClientCertificate(Struct, frozen=True, kw_only=True, tag="certificate"):
    """A certificate with its key, as a PFX file in base64, and its public facts."""

    pfx: Secret | None = None
    password: Secret | None = None
    thumbprint: str | None = None
    expires_at: Instant | None = None
    subject: str | None = None


class OAuth(Struct, frozen=True, kw_only=True, tag="oauth"):
    """Client credentials for a token of an OAuth directory."""

    tenant: str | None = None
    audience: str | None = None
    client_id: str | None = None
    secret: Secret | None = None


class StandardWebhooks(Struct, frozen=True, kw_only=True, tag="webhooks"):
    """Secrets that sign a request (https://www.standardwebhooks.com), separated by spaces."""

    secret: Secret | None = None


class NoAuthentication(Struct, frozen=True, tag="none"):
    """An explicit `none`, kept because clients read it back."""


HttpAuthentication = (
    BasicAuthentication | ClientCertificate | OAuth | StandardWebhooks | NoAuthentication
)


class Statuses(Struct, frozen=True):
    """Statuses of responses as ranges, with the text that the client wrote: `200-299,404`."""

    text: str
    ranges: tuple[tuple[int, int], ...]


class Expectation(Struct, frozen=True, kw_only=True):
    """What makes a response a success; without statuses, its status must be 2xx."""

    statuses: Statuses | None = None
    body_contains: str | None = None


class HttpRequest(Struct, frozen=True, kw_only=True, tag="http"):
    """A request to send."""

    uri: str
    method: str
    headers: dict[str, str] | None = None
    body: str | None = None
    authentication: HttpAuthentication | None = None
    expect: Expectation | None = None


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


ActionPart = HttpRequest | QueueMessage | ServiceBusMessage


class Action(Struct, frozen=True, kw_only=True):
    """What a job does when it runs, and what it does when that has failed for good.

    With `template` its texts have placeholders, which each attempt fills in.
    """

    kind: ActionKind
    part: ActionPart
    retry_policy: RetryPolicy | None = None
    error_action: "Action | None" = None
    template: bool | None = None
