"""Messages of history are read back into what they were written from."""

from hypothesis import given
from hypothesis import strategies as st

from foliot.core.history_parts import (
    AcceptedMessage,
    FailureDetails,
    HistoryNote,
    ReceivedResponse,
    read_message,
)
from foliot.core.history_text import history_note, storable
from foliot.core.model.action import Action, ActionKind, QueueMessage, ServiceBusMessage
from foliot.core.model.reason import Reason
from foliot.dispatch.http.history_messages import Failure, failure_message, response_message
from foliot.dispatch.http.response import HttpResponse
from foliot.dispatch.queue_outcomes import delivered, undelivered

HOSTS = st.from_regex(r"[a-z0-9.-]{1,30}", fullmatch=True)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=200)
NAMES = st.from_regex(r"[A-Za-z][A-Za-z0-9-]{0,20}", fullmatch=True)
VALUES = st.text(st.characters(codec="ascii", exclude_categories=("Cc",)), max_size=60)


@given(
    host=HOSTS,
    status=st.integers(200, 599),
    headers=st.lists(st.tuples(NAMES, VALUES.map(str.strip)), max_size=6),
    body=TEXTS,
    problem=st.none() | VALUES.map(lambda text: f"the body does not contain {text!r}, expected."),
)
def test_a_response_is_read_back(
    host: str, status: int, headers: list[tuple[str, str]], body: str, problem: str | None
) -> None:
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    message = response_message(host, HttpResponse(status, lines, body.encode()), problem=problem)

    found = read_message(message)

    assert isinstance(found, ReceivedResponse)
    assert (found.host, found.headers) == (host, tuple(headers))
    assert found.problem == problem
    assert found.body == storable(body.removeprefix("\ufeff"))


@given(HOSTS, st.sampled_from(Reason), TEXTS)
def test_a_failure_is_read_back(host: str, reason: Reason, text: str) -> None:
    message = failure_message(host, Failure(reason, text))

    assert read_message(message) == FailureDetails(reason, storable(text))


@given(TEXTS)
def test_no_text_breaks_the_reader(text: str) -> None:
    assert read_message(f"no message of an action: {text}") == HistoryNote(
        f"no message of an action: {text}"
    )
    for begin in ("Http Action - Response from host '", "Http Action - Request to host '"):
        read_message(begin + text)


def test_a_header_may_say_what_a_message_says() -> None:
    headers = "X: 'OK' Response Headers: Y: 1 Body: z\r\n"
    message = response_message("h", HttpResponse(200, headers, b"a\r\n Body: b"))

    found = read_message(message)

    assert isinstance(found, ReceivedResponse)
    assert found.headers == (("X", "'OK' Response Headers: Y: 1 Body: z"),)
    assert found.body == "a\r\n Body: b"


def test_outcomes_of_messages_to_queues_are_read_back() -> None:
    failure = Failure(Reason.NOT_FOUND, "The queue 'q' does not exist.", "QueueNotFound")
    queue = QueueMessage(storage_account="a", queue_name="q", message="m")
    bus = ServiceBusMessage(entity="q", namespace="n", message="m")
    for action in (
        Action(kind=ActionKind.STORAGE_QUEUE, part=queue),
        Action(kind=ActionKind.SERVICE_BUS_QUEUE, part=bus),
    ):
        sent = delivered(action, "Created", status_code=201)
        lost = undelivered(action, failure)

        assert read_message(sent.message) == AcceptedMessage("Created")
        assert read_message(lost.message) == FailureDetails(
            "QueueNotFound", "The queue 'q' does not exist."
        )
        assert isinstance(read_message(history_note(action, "Dropped:", " gone.")), HistoryNote)
