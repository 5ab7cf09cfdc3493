from typing import Any

import pytest

from chaos import inbox
from chaos.inbox import JOBS, Message

RAISED, RESOLVED = "alert.raised", "alert.resolved"


def a_message(number: int, kind: str, **fields: Any) -> Message:
    given = {"id": f"{kind}-{number}", "kind": kind, "job": f"j{number}", "body": b"{}", "at": 1}
    return Message(**{**given, **fields})


def all_told() -> list[Message]:
    raised = [a_message(number, RAISED) for number in range(JOBS)]
    return raised + [a_message(number, RESOLVED, at=2) for number in range(JOBS)]


def test_each_message_once_or_again_under_its_id_is_good() -> None:
    assert inbox.failures([*all_told(), a_message(3, RAISED, at=5)]) == []


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
    ],
)
def test_a_message_that_is_wrong_is_named(messages: list[Message], failure: str) -> None:
    assert failure in inbox.failures(messages)
