"""PowerShell's cmdlet parses every message that an attempt can leave in history.

The notes about occurrences without an attempt are in `tests/unit/core/test_history_text.py`.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foliot.core.history_text import failure_note
from foliot.core.model.action import (
    Action,
    ActionKind,
    HttpRequest,
    QueueMessage,
    ServiceBusMessage,
)
from foliot.dispatch.http.history_messages import Failure, response_message, status_name
from foliot.dispatch.http.response import HttpResponse
from foliot.dispatch.queue_outcomes import delivered, undelivered
from tests.support.history_parser import Details, details_of

HTTP = Action(kind=ActionKind.HTTPS, part=HttpRequest(uri="https://h.example/a'b", method="GET"))
STORAGE = Action(
    kind=ActionKind.STORAGE_QUEUE,
    part=QueueMessage(storage_account="acme", queue_name="orders", message="m"),
)
BUS = ServiceBusMessage(entity="a/b", namespace="acme", message="m")
QUEUE = Action(kind=ActionKind.SERVICE_BUS_QUEUE, part=BUS)
TOPIC = Action(kind=ActionKind.SERVICE_BUS_TOPIC, part=BUS)
TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ["'", "';:", "Body: ", "failed:", "Http Action", "does not exist", "could not be found"]
)


@given(st.integers(100, 599), TEXTS, TEXTS)
def test_the_status_and_the_body_of_a_response_are_found(
    status: int, header: str, body: str
) -> None:
    response = HttpResponse(status, f"X: {header}\r\n", body.encode())

    found = details_of(response_message("h.example", response))

    assert found.kind == "Http"
    assert found.destination == ("h.example",)
    if "failed:" not in header + body:
        assert found.response == status_name(status)


@given(st.sampled_from([HTTP, STORAGE, QUEUE, TOPIC]), TEXTS, TEXTS)
def test_no_failure_breaks_the_cmdlet(action: Action, reason: str, text: str) -> None:
    details_of(failure_note(action, reason, text))
    details_of(undelivered(action, Failure(reason, text)).message)


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (STORAGE, ("StorageQueue", ("acme", "orders"), "succeeded: 'Created'")),
        (
            QUEUE,
            (
                "ServiceBusQueue",
                ("a/b", "acme"),
                "ServiceBusQueue Action - Message to queue 'a/b' of namespace 'acme' succeeded",
            ),
        ),
        (
            TOPIC,
            (
                "ServiceBusTopic",
                ("a/b", "acme"),
                "ServiceBusTopic Action - Message to topic 'a/b' of namespace 'acme' succeeded",
            ),
        ),
    ],
    ids=["storage queue", "service bus queue", "service bus topic"],
)
def test_a_delivered_message_tells_where_it_went(
    action: Action, expected: tuple[str, tuple[str, ...], str]
) -> None:
    message = delivered(action, "Created").message

    assert details_of(message) == Details(*expected, message)


NAMES = st.text("abc';:\" ", min_size=1, max_size=8)


@given(st.sampled_from([ActionKind.SERVICE_BUS_QUEUE, ActionKind.SERVICE_BUS_TOPIC]), NAMES, NAMES)
def test_no_name_of_a_queue_or_namespace_breaks_the_cmdlet(
    kind: ActionKind, entity: str, namespace: str
) -> None:
    part = ServiceBusMessage(entity=entity, namespace=namespace, message="m")

    details_of(delivered(Action(kind=kind, part=part), "Created").message)
