from typing import Any

import pytest

from chaos import inbox
from chaos.inbox import FLAPPING, JOBS, TOLD_AN_HOUR, Message, Target

RAISED, RESOLVED = "alert.raised", "alert.resolved"


def a_message(number: int, kind: str, **fields: Any) -> Message:
    given = {"id": f"{kind}-{number}", "kind": kind, "job": f"j{number}", "tag": f"{number}"}
    return Message(**{**given, "body": b"{}", "at": 1, **fields})


def all_told() -> list[Message]:
    numbers = range(JOBS + TOLD_AN_HOUR)
    return [_told(number, RAISED) for number in numbers] + [
        _told(number, RESOLVED, at=2) for number in numbers
    ]


def _told(number: int, kind: str, **fields: Any) -> Message:
    """Return a message about a job of its own, or about the one that flaps."""
    return a_message(number, kind, **({} if number < JOBS else {"job": FLAPPING}), **fields)


def failures(messages: list[Message]) -> list[str]:
    runs = {str(number): True for number in range(TOLD_AN_HOUR + 1)}
    return inbox.failures(Target(messages=messages, flaps=runs))


def test_each_message_once_or_again_under_its_id_is_good() -> None:
    assert failures([*all_told(), a_message(3, RAISED, at=5)]) == []


@pytest.mark.parametrize(
    ("messages", "failure"),
    [
        pytest.param(all_told()[1:], "j0: alert.raised is lost", id="lost"),
        pytest.param(
            [*all_told(), a_message(3, RAISED, id="other")],
            "j3: alert.raised has 2 ids",
            id="twice",
        ),
        pytest.param(
            [*all_told(), a_message(3, RAISED, body=b"?")], "alert.raised-3 had 2 bodies", id="body"
        ),
        pytest.param(
            [*all_told(), a_message(3, RESOLVED, at=0)], "j3: alert.resolved came first", id="order"
        ),
        pytest.param(
            [*all_told(), _told(JOBS + TOLD_AN_HOUR, RAISED)],
            "flapping: alert.raised of 4 incidents, not 3",
            id="flood",
        ),
    ],
)
def test_a_message_that_is_wrong_is_named(messages: list[Message], failure: str) -> None:
    assert failure in failures(messages)
