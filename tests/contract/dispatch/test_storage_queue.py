"""Storage queue actions against Azurite, read back with Microsoft's own client."""

import html
from base64 import b64decode
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID
from xml.etree import ElementTree as ET

import pytest

from foliot.core.instant import SECOND, Instant
from foliot.core.model.action import Action, ActionKind, QueueMessage
from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.core.model.reason import Reason
from foliot.core.secret import Secret
from foliot.dispatch.egress.parse_rules import parse_egress
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.http_settings import HttpSettings
from foliot.dispatch.queue_endpoints import storage_endpoints
from foliot.dispatch.storage_queue import StorageQueueDispatcher
from tests.contract.dispatch.target import Target, answer, target
from tests.support.azurite import ACCOUNT, Azurite, Queue, running
from tests.support.builders import NOW
from tests.support.dispatch_harness import REQUEST_ID, TAG, a_request, request_for, run

PLACE = "StorageQueue Action - Message to storage account '{}' queue '{}'"
SIGNATURE = "c2lnbmF0dXJl"
SAS = f"sv=2024-08-04&se=2100-01-01T00%3A00%3A00Z&sp=a&sig={SIGNATURE}%3D"


@pytest.fixture(scope="module")
def azurite() -> Iterator[Azurite]:
    with running() as started:
        yield started


@asynccontextmanager
async def dispatcher(
    url: str, egress: EgressRules | None = None, default_format: str = "text"
) -> AsyncGenerator[StorageQueueDispatcher]:
    endpoints = storage_endpoints(placed=f'{{"{ACCOUNT}": "{url}"}}')
    settings = HttpSettings(timeout_seconds=5)
    rules = egress or EgressRules()
    opened = StorageQueueDispatcher(
        rules, lambda: NOW, settings, endpoints, default_format=default_format
    )
    try:
        yield opened
    finally:
        await opened.close()


def queue_request(queue: str = "orders", sas: str | None = SAS, **fields: Any) -> AttemptRequest:
    given = {"storage_account": ACCOUNT, "message": "hello"} | fields
    token = None if sas is None else Secret(sas)
    part = QueueMessage(queue_name=queue, sas_token=token, **given)
    return request_for(Action(kind=ActionKind.STORAGE_QUEUE, part=part))


def sent(url: str, request: AttemptRequest, egress: EgressRules | None = None) -> Outcome:
    async def steps() -> Outcome:
        async with dispatcher(url, egress) as opened:
            return await opened.dispatch(request)

    return run(steps())


def put(azurite: Azurite, queue: Queue, **fields: Any) -> Outcome:
    return sent(azurite.url, queue_request(queue.name, **{"sas": queue.sas(), **fields}))


TEXTS = {
    "plain": "hello",
    "markup": "<a href='x'>&amp; \"b\"</a>]]>",
    "unicode": "příliš žluťoučký 🐎 \u2028 \ufffd",
    "line breaks": "one\r\ntwo\nthree\tfour",
    "JSON": '{"a": [1, 2], "b": "c\\n"}',
    "48 KiB": "€" * (48 * 1024 // 3),
    "64 KiB": "x" * 64 * 1024,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_message_arrives_as_it_was_written(azurite: Azurite, text: str) -> None:
    queue = azurite.queue()

    outcome = put(azurite, queue, message=text)

    assert outcome.message == f"{PLACE.format(ACCOUNT, queue.name)} succeeded: 'Created'"
    assert outcome.succeeded
    assert queue.texts() == [text]


def test_an_envelope_is_the_old_services_document_in_base64(azurite: Azurite) -> None:
    queue = azurite.queue()

    put(azurite, queue, message="<ž>\r\n&", format="envelope")

    text = b64decode(queue.texts()[0]).decode()
    assert text.startswith('<?xml version="1.0" encoding="utf-16"?>\r\n<StorageQueueMessage ')
    document = ET.fromstring(text)  # noqa: S314  (we wrote it)
    assert document.tag == "StorageQueueMessage"
    assert {element.tag: element.text for element in document} == {
        "ExecutionTag": TAG,
        "ClientRequestId": str(UUID(REQUEST_ID)),
        "ExpectedExecutionTime": "2026-01-10T08:30:00.5",
        "SchedulerJobId": "Nightly",
        "SchedulerJobCollectionId": "Billing",
        "Region": "West Europe",
        "Message": "<ž>\r\n&",
    }


@pytest.mark.parametrize(
    ("default", "own", "is_wrapped"),
    [
        ("text", None, False),
        ("text", "envelope", True),
        ("envelope", None, True),
        ("envelope", "text", False),
    ],
)
def test_a_message_without_a_format_has_that_of_the_server(
    azurite: Azurite, default: str, own: str | None, *, is_wrapped: bool
) -> None:
    queue = azurite.queue()
    request = queue_request(queue.name, queue.sas(), format=own)

    async def steps() -> Outcome | NotSent:
        async with dispatcher(azurite.url, default_format=default) as opened:
            return await opened.dispatch(request)

    assert run(steps()).succeeded
    assert (queue.texts() != ["hello"]) is is_wrapped


@pytest.mark.parametrize("form", ["?{}", " {}\n", "?{}&", "{}"])
def test_a_token_may_be_pasted_with_a_question_mark_and_spaces(azurite: Azurite, form: str) -> None:
    queue = azurite.queue()

    assert put(azurite, queue, sas=form.format(queue.sas())).succeeded


def test_a_missing_queue_does_not_exist(azurite: Azurite) -> None:
    queue = azurite.queue()
    queue.client.delete_queue()

    outcome = put(azurite, queue)

    assert outcome.message == (
        f"{PLACE.format(ACCOUNT, queue.name)} failed: QueueNotFound "
        f"The queue '{queue.name}' does not exist."
    )


def test_a_wrong_signature_is_told_from_an_expired_token(azurite: Azurite) -> None:
    queue = azurite.queue()
    good = queue.sas()
    signature = good.partition("sig=")[2].partition("&")[0]
    wrong = good.replace(signature, "AAAA" + signature[4:])
    expired = queue.sas(expiry=datetime(2020, 5, 4, tzinfo=UTC))

    messages = [put(azurite, queue, sas=sas).message for sas in (wrong, expired)]

    assert "The SAS token is not accepted" in messages[0]
    assert "The SAS token has expired: it was good until 2020-05-04T00:00:00Z." in messages[1]
    assert queue.texts() == []


def test_a_token_that_does_not_permit_to_add_is_not_accepted(azurite: Azurite) -> None:
    queue = azurite.queue()

    outcome = put(azurite, queue, sas=queue.sas(read=True))

    assert "The SAS token" in outcome.message
    assert not outcome.succeeded


def test_many_messages_share_a_few_connections_and_none_is_lost(azurite: Azurite) -> None:
    queue = azurite.queue()

    async def steps() -> list[bool]:
        async with dispatcher(azurite.url) as opened:
            requests = [
                queue_request(queue.name, queue.sas(), message=f"message {number}")
                for number in range(60)
            ]
            return [(await opened.dispatch(request)).succeeded for request in requests]

    assert all(run(steps()))
    found = {text for _ in range(60) for text in queue.texts()}
    assert found == {f"message {number}" for number in range(60)}


def test_an_unknown_account_could_not_be_found() -> None:
    async def steps() -> str:
        endpoints = storage_endpoints("nowhere.invalid")
        opened = StorageQueueDispatcher(EgressRules(), lambda: NOW, endpoints=endpoints)
        outcome = await opened.dispatch(queue_request(storage_account="nobody"))
        await opened.close()
        return outcome.message

    message = run(steps())

    assert message.startswith(PLACE.format("nobody", "orders"))
    assert "failed: NameResolutionFailure The storage account 'nobody' could not be found." in (
        message
    )


BAD = {
    "no token": (
        {"sas": None},
        "AuthenticationFailure queueMessage.sasToken is not set; send it again.",
    ),
    "no such name": (
        {"queue": "Orders"},
        "InvalidResourceName That is not the name of a queue; "
        "give 3 to 63 lower-case letters, digits and single hyphens.",
    ),
    "a way out": (
        {"queue": "../../x"},
        "InvalidResourceName That is not the name of a queue; "
        "give 3 to 63 lower-case letters, digits and single hyphens.",
    ),
    "a long name": (
        {"queue": "a-" * 40 + "a"},
        "InvalidResourceName That is not the name of a queue; "
        "give 3 to 63 lower-case letters, digits and single hyphens.",
    ),
    "another host": (
        {"storage_account": "evil.example/"},
        'InvalidRequest "evil.example/" is not the name of a storage account.',
    ),
    "too large": (
        {"message": "é" * 33_000},
        "MessageTooLarge The message has 66000 bytes; a queue takes at most 65536.",
    ),
}


@pytest.mark.parametrize(("fields", "reason"), BAD.values(), ids=BAD)
def test_a_message_that_no_queue_accepts_is_not_sent(fields: dict[str, Any], reason: str) -> None:
    async def steps() -> tuple[str, int]:
        async with target() as server, dispatcher(server.url()) as opened:
            outcome = await opened.dispatch(queue_request(**fields))
            return outcome.message, server.connections

    message, connections = run(steps())

    assert message.endswith(f" failed: {reason}")
    assert connections == 0


def error(code: str, message: str = "It went wrong.") -> bytes:
    body = f"<Error><Code>{code}</Code><Message>{html.escape(message)}\nRequestId:1</Message>"
    return f'<?xml version="1.0" encoding="utf-8"?>{body}</Error>'.encode()


def answered(reply: bytes, **fields: Any) -> tuple[Outcome, Target]:
    async def steps() -> tuple[Outcome, Target]:
        async with target({"*": reply}) as server, dispatcher(server.url()) as opened:
            return await opened.dispatch(queue_request(**fields)), server

    return run(steps())


REPLIES = {
    "busy": (
        answer("503 Server Busy", error("ServerBusy", "The server is busy."), Retry_After="7"),
        "ServerBusy The server is busy.",
    ),
    "throttled": (
        answer("429 Too Many", error("TooManyRequests", "Slow down <now>."), Retry_After="7"),
        "TooManyRequests Slow down <now>.",
    ),
    "code in a header": (
        answer("409 Conflict", b"", x_ms_error_code="QueueBeingDeleted"),
        "QueueBeingDeleted The answer was 'Conflict'.",
    ),
    "nothing but a status": (
        answer("502 Bad Gateway", b"<html>"),
        "BadGateway The answer was 'BadGateway'.",
    ),
    "not created": (answer("200 OK", b"hello"), "OK The answer was 'OK'."),
    "no permission": (
        answer("403 Forbidden", error("AuthorizationPermissionMismatch")),
        "AuthorizationPermissionMismatch The SAS token does not permit to add messages (sp=a).",
    ),
    "some denial": (
        answer("403 Forbidden", error("AccountIsDisabled", "The account is disabled.")),
        "AccountIsDisabled The account is disabled.",
    ),
    "a denial without words": (
        answer("403 Forbidden", b""),
        "Forbidden The answer was 'Forbidden'.",
    ),
    "the secret itself": (
        answer("400 Bad Request", error(f"{SIGNATURE}=", f"sig={SIGNATURE}%3D and {SAS}")),
        "*** sig=*** and ***",
    ),
}


@pytest.mark.parametrize(("reply", "reason"), REPLIES.values(), ids=REPLIES)
def test_history_has_the_error_of_the_service(reply: bytes, reason: str) -> None:
    outcome, _ = answered(reply)

    assert outcome.message.endswith(f" failed: {reason}")
    assert not outcome.succeeded
    assert outcome.retry_after == (7 * SECOND if b"Retry-After" in reply else None)


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        *((401, Reason.UNAUTHORIZED), (403, Reason.UNAUTHORIZED), (404, Reason.NOT_FOUND)),
        *((429, Reason.SERVER_BUSY), (503, Reason.SERVER_BUSY), (500, Reason.HTTP_STATUS)),
        *((409, Reason.HTTP_STATUS), (200, Reason.HTTP_STATUS)),
    ],
)
def test_a_refused_message_has_a_reason_and_the_status(status: int, reason: Reason) -> None:
    outcome, _ = answered(answer(f"{status} So"))

    assert (outcome.reason, outcome.status_code) == (reason, status)


TIMES = {
    "no expiry": ("sv=1&sig=x&si=policy", "The SAS token is not accepted"),
    "a date alone": ("se=2026-01-01&sig=x", "it was good until 2026-01-01T00:00:00Z"),
    "not yet": (
        "st=2027-01-01T00:00Z&se=2028-01-01&sig=x",
        "The SAS token is not good yet: it begins at 2027-01-01T00:00:00Z.",
    ),
    "no moment": ("se=tomorrow&sig=x", "The SAS token is not accepted"),
}


@pytest.mark.parametrize(("sas", "reason"), TIMES.values(), ids=TIMES)
def test_the_dates_of_a_refused_token_explain_the_refusal(sas: str, reason: str) -> None:
    outcome, _ = answered(answer("403 Forbidden", error("AuthenticationFailed")), sas=sas)

    assert reason in outcome.message


def test_the_request_is_what_the_service_documents() -> None:
    outcome, server = answered(answer("201 Created", b""))

    request = server.received[0]
    assert outcome.succeeded
    assert (request.method, request.path) == ("POST", f"/orders/messages?{SAS}")
    assert request.header("x-ms-client-request-id") == REQUEST_ID
    assert request.header("content-type") == "application/xml; charset=utf-8"
    assert request.body.endswith(b"<MessageText>hello</MessageText></QueueMessage>")


def test_an_operator_can_replace_the_address_of_an_account() -> None:
    china = storage_endpoints("core.chinacloudapi.cn", '{"Local": "http://127.0.0.1:10001/local/"}')

    assert china.base_of("Acme") == "https://acme.queue.core.chinacloudapi.cn"
    assert china.base_of("local") == "http://127.0.0.1:10001/local"
    assert storage_endpoints().base_of("acme") == "https://acme.queue.core.windows.net"


def test_egress_rules_hold_for_queues(azurite: Azurite) -> None:
    queue = azurite.queue()
    denied = parse_egress(None, "127.0.0.0/8", None)

    outcome = sent(azurite.url, queue_request(queue.name, queue.sas()), denied)

    assert "EgressDenied The request is not allowed: the address 127.0.0.1" in outcome.message
    assert queue.texts() == []


def test_an_unexpected_error_is_an_outcome_without_its_message(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken() -> Instant:
        raise RuntimeError(SAS)

    async def steps() -> str:
        async with target({"*": answer("403 Forbidden", b"")}) as server:
            endpoints = storage_endpoints(placed=f'{{"{ACCOUNT}": "{server.url()}"}}')
            opened = StorageQueueDispatcher(EgressRules(), broken, endpoints=endpoints)
            outcome = await opened.dispatch(queue_request())
            await opened.close()
            return outcome.message

    message = run(steps())

    assert message.endswith("The attempt ended unexpectedly; the server's log has more.")
    assert "RuntimeError" in caplog.text
    assert SIGNATURE not in caplog.text + message


def test_another_kind_of_action_is_refused() -> None:
    outcome = sent("http://127.0.0.1:1", a_request("http://127.0.0.1:1/"))

    assert outcome.message == (
        "Http Action - Request to host '127.0.0.1' failed: "
        "UnknownError Http is not an action for a storage queue."
    )
