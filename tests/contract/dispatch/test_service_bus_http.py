"""Service bus actions over HTTPS, against a server that verifies what it is sent."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from foliot.core.instant import HOUR, MINUTE, SECOND, Instant, parse_instant
from foliot.core.model.action import (
    Action,
    ActionKind,
    BrokeredProperties,
    Duration,
    ServiceBusAuthentication,
    ServiceBusMessage,
)
from foliot.core.model.attempt import AttemptRequest, Outcome
from foliot.core.secret import Secret
from foliot.dispatch.egress.parse_rules import parse_egress
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.http_settings import HttpSettings
from foliot.dispatch.queue_endpoints import bus_endpoints
from foliot.dispatch.service_bus.send import ServiceBusDispatcher
from tests.contract.dispatch.bus_server import KEY, KEY_NAME, Bus, Message, a_wrong_key
from tests.contract.dispatch.target import answer, target
from tests.support.builders import NOW
from tests.support.dispatch_harness import REQUEST_ID, TAG, a_request, request_for, run
from tests.support.tls_authority import Authority

FACTS = {
    "x-ms-scheduler-jobid": "Nightly",
    "x-ms-scheduler-jobcollection": "Billing",
    "x-ms-scheduler-expected-execution-time": "2026-01-10T08:30:00.5Z",
    "x-ms-execution-tag": TAG,
    "x-ms-client-request-id": REQUEST_ID,
    "x-ms-region": "West Europe",
}
ALL_PROPERTIES = BrokeredProperties(
    content_type="application/json",
    correlation_id="correlation",
    force_persistence=True,
    label="lábel",
    message_id="message",
    partition_key="session",
    reply_to="reply",
    reply_to_session_id="reply session",
    scheduled_enqueue_at=parse_instant("2026-02-03T04:05:06Z"),
    session_id="session",
    time_to_live=Duration("PT1H30M0.5S", HOUR + 30 * MINUTE + SECOND // 2),
    to="to",
    via_partition_key="via",
)


def bus_request(
    entity: str = "orders",
    key: str | None = KEY,
    kind: ActionKind = ActionKind.SERVICE_BUS_QUEUE,
    key_name: str | None = KEY_NAME,
    **fields: Any,
) -> AttemptRequest:
    secret = None if key is None else Secret(key)
    authentication = ServiceBusAuthentication(sas_key=secret, sas_key_name=key_name)
    given = {"namespace": "here", "message": "hello", "authentication": authentication} | fields
    return request_for(Action(kind=kind, part=ServiceBusMessage(entity=entity, **given)))


@asynccontextmanager
async def dispatcher(
    url: str, authority: Authority | None = None, egress: EgressRules | None = None
) -> AsyncGenerator[ServiceBusDispatcher]:
    endpoints = bus_endpoints(placed=f'{{"here": "{url}"}}')
    settings = HttpSettings(timeout_seconds=5, ca_file=authority and authority.file)
    opened = ServiceBusDispatcher(egress or EgressRules(), lambda: NOW, settings, endpoints)
    try:
        yield opened
    finally:
        await opened.close()


def sent(
    authority: Authority, request: AttemptRequest, now: Instant = NOW
) -> tuple[Outcome, list[Message]]:
    async def steps() -> tuple[Outcome, list[Message]]:
        async with target(tls=authority.server()) as server:
            bus = Bus(server, now, "orders", "Buoys/Lights", "news ß")
            async with dispatcher(server.url(), authority) as opened:
                return await opened.dispatch(request), bus.messages

    return run(steps())


def test_a_message_arrives_with_the_tag_as_its_id(authority: Authority) -> None:
    outcome, messages = sent(authority, bus_request(message="ahoj 🐎\r\n"))

    assert outcome.message == (
        "ServiceBusQueue Action - Message to queue 'orders' of namespace 'here' "
        "succeeded: 'Created'"
    )
    assert outcome.succeeded
    assert messages == [
        Message("orders", "ahoj 🐎\r\n", "text/plain; charset=utf-8", {"MessageId": TAG}, FACTS)
    ]


def test_every_property_arrives(authority: Authority) -> None:
    custom = {"Buoy": "7", "quoted": 'a "b" \\', "letters": "žluť\r\n", "x-ms-execution-tag": "no"}

    _, messages = sent(authority, bus_request(brokered=ALL_PROPERTIES, custom=custom))

    del custom["x-ms-execution-tag"]
    assert messages[0].content_type == "application/json"
    assert messages[0].custom == custom | FACTS
    assert messages[0].broker == {
        "CorrelationId": "correlation",
        "Label": "lábel",
        "MessageId": "message",
        "PartitionKey": "session",
        "ReplyTo": "reply",
        "ReplyToSessionId": "reply session",
        "ScheduledEnqueueTimeUtc": datetime(2026, 2, 3, 4, 5, 6, tzinfo=UTC),
        "SessionId": "session",
        "TimeToLive": 5400.5,
        "To": "to",
        "ViaPartitionKey": "via",
    }


@pytest.mark.parametrize("entity", ["Buoys/Lights", "news ß"])
def test_a_topic_may_have_any_name(authority: Authority, entity: str) -> None:
    request = bus_request(entity, kind=ActionKind.SERVICE_BUS_TOPIC)

    outcome, messages = sent(authority, request)

    assert outcome.message == (
        f"ServiceBusTopic Action - Message to topic '{entity}' of namespace 'here' "
        "succeeded: 'Created'"
    )
    assert [message.entity for message in messages] == [entity]


def test_a_wrong_key_is_not_accepted(authority: Authority) -> None:
    outcome, messages = sent(authority, bus_request(key=a_wrong_key()))

    assert outcome.message.endswith(
        f" failed: Unauthorized The key '{KEY_NAME}' is not accepted. "
        "InvalidSignature: The token is not valid."
    )
    assert messages == []


def test_a_token_does_not_live_long(authority: Authority) -> None:
    outcome, _ = sent(authority, bus_request(), now=Instant(NOW + 21 * MINUTE))

    assert "ExpiredToken" in outcome.message


def test_a_missing_entity_does_not_exist(authority: Authority) -> None:
    outcome, _ = sent(authority, bus_request("nobody"))

    assert outcome.message.endswith(
        " failed: NotFound The queue does not exist. No such entity: nobody."
    )


HEADER = "cannot be sent as a header; give it another name, or the message the transportType amqp."
NOT_SENT = {
    "no key": (
        {"key": None},
        "AuthenticationFailure serviceBusQueueMessage.authentication.sasKey is not set; "
        "send it again.",
    ),
    "no authentication": (
        {"authentication": None, "kind": ActionKind.SERVICE_BUS_TOPIC},
        "AuthenticationFailure serviceBusTopicMessage.authentication.sasKey is not set; "
        "send it again.",
    ),
    "no key name": (
        {"key_name": None},
        "AuthenticationFailure serviceBusQueueMessage.authentication.sasKeyName is not set; "
        "send it again.",
    ),
    "no namespace": (
        {"namespace": "a/b"},
        'InvalidRequest "a/b" is not the name of a service bus namespace.',
    ),
    "no entity": ({"entity": ""}, 'InvalidRequest "" is not the name of a queue.'),
    "a way out": (
        {"entity": "a/../b", "kind": ActionKind.SERVICE_BUS_TOPIC},
        'InvalidRequest "a/../b" is not the name of a topic.',
    ),
    "no header": (
        {"custom": {"a b": "c"}},
        f'InvalidRequest the custom property "a b" {HEADER}',
    ),
    "taken": (
        {"custom": {"Authorization": "c"}},
        f'InvalidRequest the custom property "Authorization" {HEADER}',
    ),
    "twice": ({"custom": {"A": "1", "a": "2"}}, f'InvalidRequest the custom property "A" {HEADER}'),
    "a line break": (
        {"brokered": BrokeredProperties(content_type="a\r\nX-Evil: 1")},
        'InvalidRequest the contentType "a\\r\\nX-Evil: 1" cannot be sent as a header.',
    ),
}


@pytest.mark.parametrize(("fields", "reason"), NOT_SENT.values(), ids=NOT_SENT)
def test_history_says_why_a_message_cannot_be_sent(fields: dict[str, Any], reason: str) -> None:
    async def steps() -> tuple[str, int]:
        async with target() as server, dispatcher(server.url()) as opened:
            outcome = await opened.dispatch(bus_request(**fields))
            return outcome.message, server.connections

    message, connections = run(steps())

    assert message.endswith(f" failed: {reason}")
    assert connections == 0


REPLIES = {
    "busy": (
        answer("503 Unavailable", b"<Error><Detail>Busy &amp; so on.</Detail>", Retry_After="9"),
        "ServiceUnavailable Busy & so on.",
    ),
    "throttled": (
        answer("429 Too Many", b"", Retry_After="9"),
        "TooManyRequests The answer was 'TooManyRequests'.",
    ),
    "full": (
        answer("403 Forbidden", b"<Error><Code>403</Code><Detail>Quota exceeded.</Detail>"),
        "Forbidden Quota exceeded.",
    ),
    "gone": (answer("410 Gone", b""), "Gone The queue does not exist."),
    "the secret itself": (answer("400 Bad", f"<Detail>{KEY}</Detail>".encode()), "BadRequest ***"),
}


@pytest.mark.parametrize(("reply", "reason"), REPLIES.values(), ids=REPLIES)
def test_history_has_the_error_of_the_service(reply: bytes, reason: str) -> None:
    async def steps() -> Outcome:
        async with target({"*": reply}) as server, dispatcher(server.url()) as opened:
            return await opened.dispatch(bus_request())

    outcome = run(steps())

    assert outcome.message.endswith(f" failed: {reason}")
    assert outcome.retry_after == (9 * SECOND if b"Retry-After" in reply else None)


def test_an_unknown_namespace_could_not_be_found() -> None:
    async def steps() -> str:
        endpoints = bus_endpoints("nowhere.invalid")
        opened = ServiceBusDispatcher(EgressRules(), lambda: NOW, endpoints=endpoints)
        outcome = await opened.dispatch(bus_request(namespace="nobody"))
        await opened.close()
        return outcome.message

    assert "failed: NameResolutionFailure The namespace 'nobody' could not be found." in run(
        steps()
    )


def test_egress_rules_hold_for_service_bus() -> None:
    async def steps() -> tuple[str, int]:
        denied = parse_egress(None, "127.0.0.0/8", None)
        async with target() as server, dispatcher(server.url(), egress=denied) as opened:
            outcome = await opened.dispatch(bus_request())
            return outcome.message, server.connections

    message, connections = run(steps())

    assert "EgressDenied The request is not allowed: the address 127.0.0.1" in message
    assert connections == 0


def test_another_kind_of_action_is_refused() -> None:
    async def steps() -> str:
        async with dispatcher("http://127.0.0.1:1") as opened:
            return (await opened.dispatch(a_request("http://127.0.0.1:1/"))).message

    assert run(steps()) == (
        "Http Action - Request to host '127.0.0.1' failed: "
        "UnknownError Http is not an action for service bus."
    )
