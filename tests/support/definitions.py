"""Definitions that between them give every field of the model a value."""

from foliot.core.instant import DAY, SECOND, Moment
from foliot.core.model.action import (
    Action,
    ActionKind,
    BasicAuthentication,
    BrokeredProperties,
    ClientCertificate,
    Duration,
    Expectation,
    HttpAuthentication,
    HttpRequest,
    NoAuthentication,
    OAuth,
    QueueMessage,
    RetryKind,
    RetryOn,
    RetryPolicy,
    ServiceBusAuthentication,
    ServiceBusMessage,
    StandardWebhooks,
    Statuses,
)
from foliot.core.model.job import Definition
from foliot.core.model.policy import Policy
from foliot.core.recurrence import (
    CalendarDays,
    Cron,
    DayOffMove,
    DstPolicy,
    Exclusion,
    Frequency,
    MonthlyOccurrence,
    Recurrence,
    RepeatedTime,
    Schedule,
    SkippedTime,
    parse_dates,
)
from foliot.core.secret import Secret
from tests.support.builders import DEFINITION, NOW

MARKER = "MaRkEr-5f1c"

_RETRIES = RetryPolicy(kind=RetryKind.FIXED, interval=Duration("PT30S", 300_000_000), count=4)
_RECURRENCE = Recurrence(
    frequency=Frequency.MONTH,
    interval=2,
    count=9,
    end=Moment.at(NOW),
    schedule=Schedule(
        minutes=(0, 30), hours=(8,), monthly_occurrences=(MonthlyOccurrence(0, -1),), months=(1, 7)
    ),
    time_zone="Europe/Berlin",
)

_HOLIDAYS = CalendarDays.of([parse_dates("2026-12-24/2027-01-01"), parse_dates("2027-05-01")])
_CRON = Recurrence(
    cron=Cron("*/15 9-17 * * MON-FRI"),
    time_zone="Europe/Berlin",
    dst=DstPolicy(skipped=SkippedTime.SKIP, repeated=RepeatedTime.BOTH),
    exclude=Exclusion(
        dates=(parse_dates("2026-12-24/2027-01-01"), parse_dates("2027-05-01")),
        calendars=("holidays",),
        then=DayOffMove.NEXT,
    ),
)


def http(authentication: HttpAuthentication | None = None) -> Action:
    """A request with the marker wherever a credential may stand."""
    part = HttpRequest(
        uri=f"https://example.com/hook?code={MARKER}",
        method="POST",
        headers={"X-Api-Key": MARKER, MARKER: "name"},
        body=f'{{"token": "{MARKER}"}}',
        authentication=authentication,
    )
    return Action(kind=ActionKind.HTTPS, part=part, retry_policy=_RETRIES)


def _queue() -> Action:
    part = QueueMessage(
        storage_account="account",
        queue_name="queue",
        sas_token=Secret(MARKER),
        message=f"message {MARKER}",
        format="utf8",
    )
    return Action(kind=ActionKind.STORAGE_QUEUE, part=part)


def _bus() -> Action:
    part = ServiceBusMessage(
        entity="entity",
        namespace="namespace",
        transport="AMQP",
        authentication=ServiceBusAuthentication(
            sas_key=Secret(MARKER), sas_key_name=MARKER, kind="sharedAccessKey"
        ),
        message=f"message {MARKER}",
        brokered=BrokeredProperties(
            content_type="text/plain",
            correlation_id=MARKER,
            force_persistence=False,
            label=MARKER,
            message_id="id",
            partition_key="key",
            reply_to="reply",
            reply_to_session_id="session",
            scheduled_enqueue_at=NOW,
            session_id="session",
            time_to_live=Duration("P1D", 864_000_000_000),
            to="to",
            via_partition_key="via",
        ),
        custom={"token": MARKER, MARKER: "name"},
    )
    return Action(kind=ActionKind.SERVICE_BUS_TOPIC, part=part)


def _with_error_action(action: Action, error_action: Action) -> Action:
    return Action(kind=action.kind, part=action.part, error_action=error_action)


_CERTIFICATE = ClientCertificate(
    pfx=Secret(MARKER), password=Secret(MARKER), thumbprint="AB", expires_at=NOW, subject=MARKER
)
_OAUTH = OAuth(tenant="tenant", audience="audience", client_id="client", secret=Secret(MARKER))
_BASIC = BasicAuthentication(username=MARKER, password=Secret(MARKER))

_EVERYTHING_NEW = Definition(
    action=Action(
        kind=ActionKind.HTTP,
        part=HttpRequest(
            uri="https://example.com/{{tag}}",
            method="POST",
            authentication=StandardWebhooks(secret=Secret(MARKER)),
            expect=Expectation(
                statuses=Statuses("200,404", ((200, 200), (404, 404))), body_contains="ok"
            ),
        ),
        retry_policy=RetryPolicy(
            kind=RetryKind.EXPONENTIAL, max_interval=Duration("P1D", DAY), on=RetryOn.TRANSIENT
        ),
        template=True,
    ),
    policy=Policy(timeout=Duration("PT5S", 5 * SECOND)),
    description=MARKER,
    tags={"team": "night shift"},
)

DEFINITIONS = {
    "http, sparse": DEFINITION,
    "http, full": Definition(start=Moment.at(NOW), action=http(_BASIC), recurrence=_RECURRENCE),
    "http, certificate": Definition(action=http(_CERTIFICATE)),
    "http, oauth": Definition(action=http(_OAUTH)),
    "http, no authentication": Definition(action=http(NoAuthentication())),
    "http, cron": Definition(action=http(), recurrence=_CRON, calendar_days=_HOLIDAYS),
    "http, what the old service did not have": _EVERYTHING_NEW,
    "queue": Definition(action=_queue()),
    "bus": Definition(action=_bus()),
    "error action": Definition(action=_with_error_action(_queue(), http(_OAUTH))),
}
