"""Which occurrences `make chaos` takes for broken off."""

from chaos.attempts import begun, broken_off
from chaos.facts import MINUTE, SECOND, Delivery, Recorded, Told, parse
from chaos.judge import Evidence

AT = parse("2026-01-10T12:00:00Z")


def evidence(*statuses: str, sent: int | None = None) -> Evidence:
    """Return what is known of one occurrence with these entries in its history."""
    history = [
        Recorded(AT, AT + i * SECOND, AT + i * SECOND + 1, status, "")
        for i, status in enumerate(statuses)
    ]
    deliveries = [
        Delivery("j", AT, "tag", str(i), AT + i * SECOND)
        for i in range(len(statuses) if sent is None else sent)
    ]
    return Evidence(calendar={}, deliveries=deliveries, told={"j": Told("enabled", 1, history)})


def broken(seen: Evidence) -> list[str]:
    return list(broken_off(seen, 3))


def test_an_occurrence_that_succeeds_has_ended() -> None:
    assert broken(evidence("failed", "completed")) == []


def test_an_occurrence_that_made_all_its_attempts_has_ended() -> None:
    assert broken(evidence("failed", "failed", "failed")) == []


def test_an_occurrence_whose_retry_never_came_is_broken_off() -> None:
    assert broken(evidence("failed", "failed")) == [
        "j at 2026-01-10T12:00:00Z was broken off after 2 of 3 attempts"
    ]


def test_an_attempt_that_is_in_no_history_is_broken_off() -> None:
    assert len(broken(evidence(sent=1))) == 1


def test_only_what_was_seen_has_begun() -> None:
    calendar = {"j": [AT, AT + MINUTE], "never": [AT]}

    assert begun(calendar, evidence("failed")) == {"j": [AT], "never": []}
