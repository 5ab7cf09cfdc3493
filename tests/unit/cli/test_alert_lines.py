"""What `foliot alert show` tells of an alert."""

from typing import Any

import pytest

from foliot.cli.remote.alerts import alert_lines

WEBHOOK = {"type": "webhook", "uri": "https://hooks.example.com/in?key=***", "signed": True}
EMAIL = {"type": "email", "to": ["ops@example.com"]}


def told(**properties: Any) -> list[str]:
    given = {"state": "enabled", "when": {"failed": {"inARow": 1}}, "sendTo": [WEBHOOK, EMAIL]}
    lines = alert_lines({"name": "c/on-call", "properties": given | properties})
    return [" ".join(each.split()) for each in lines]


@pytest.mark.parametrize(
    ("when", "words"),
    [
        ({"failed": {"inARow": 1}}, "failed"),
        ({"failed": {"inARow": 3}, "paused": True}, "failed 3 in a row, paused"),
        ({"noSuccess": {"intervals": 1}}, "no success for 1 interval"),
        ({"noSuccess": {"intervals": 2}, "late": {"by": "PT1S"}}, "late by PT1S, no success for 2"),
    ],
    ids=["once", "in a row", "one interval", "intervals"],
)
def test_conditions_are_told_in_words(when: Any, words: str) -> None:
    (line,) = [each for each in told(when=when) if each.startswith("when ")]

    assert line.startswith(f"when {words}")


def test_a_destination_is_told_with_its_error_and_what_waits() -> None:
    status = {
        "openIncidents": 1,
        "waitingMessages": 1,
        "destinations": [{"waitingMessages": 1, "lastError": "no route"}, {"waitingMessages": 0}],
    }

    lines = told(status=status)

    place = lines.index("sends to webhook https://hooks.example.com/in (signed)")
    assert lines[place + 1 : place + 3] == ["last error no route", "sends to email ops@example.com"]
    assert "waiting 1 message" in lines


def test_nothing_is_told_of_messages_where_none_wait() -> None:
    lines = told(status={"openIncidents": 0, "waitingMessages": 0, "destinations": []})

    assert not any(each.startswith(("waiting", "last error")) for each in lines)
