"""The sentence of a job: its calendar, what its policy adds, and when it runs at once."""

from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.ids import CollectionId
from foliot.core.model.action import Duration
from foliot.core.model.policy import Policy
from foliot.core.rules.job_sentence import job_sentence
from tests.support.builders import DEFINITION, a_job, at, timetable

MONDAYS = {"frequency": "week", "schedule": {"weekDays": ["monday"], "hours": [9], "minutes": [0]}}


def sentence_of(rule: dict[str, Any], *, now: str, policy: Policy | None = None) -> str:
    recurrence = timetable(rule).recurrence
    definition = replace(DEFINITION, recurrence=recurrence, policy=policy)
    return job_sentence(a_job(CollectionId(1), definition=definition), at(now))


@pytest.mark.parametrize(
    ("now", "told"),
    [
        pytest.param("2026-01-10T00:00:00Z", "and once now", id="as it is saved"),
        pytest.param("2026-01-10T00:00:01Z", "and once when it was saved", id="later"),
    ],
)
def test_a_run_at_once_is_told_from_now(now: str, told: str) -> None:
    assert sentence_of(MONDAYS, now=now) == (
        f"Every week on Monday at 09:00 UTC, {told}, since it has no start time"
    )


def test_the_jitter_of_the_policy_is_told() -> None:
    policy = Policy(jitter=Duration("PT5M", 5 * 60 * 10_000_000))

    assert sentence_of({"frequency": "day"}, now="2026-01-10", policy=policy) == (
        "Every day at 00:00 UTC, each run up to 5 minutes later"
    )


@pytest.mark.parametrize("policy", [None, Policy()], ids=["none", "empty"])
def test_a_policy_without_jitter_adds_nothing(policy: Policy | None) -> None:
    assert sentence_of({"frequency": "day"}, now="2026-01-10", policy=policy) == (
        "Every day at 00:00 UTC"
    )


def test_everything_is_told_in_one_sentence() -> None:
    rule = {
        "cron": "30 2 * * MON-FRI",
        "timeZone": "Europe/Prague",
        "dst": {"skipped": "skip", "repeated": "both"},
        "exclude": {"dates": ["2026-12-24/2026-12-26"], "then": "next"},
    }
    policy = Policy(jitter=Duration("PT1H", 60 * 60 * 10_000_000))

    assert sentence_of(rule, now="2026-01-10", policy=policy) == (
        "At 02:30 on Monday to Friday, Europe/Prague time (cron 30 2 * * MON-FRI)"
        ", not at times that the clock skips, both times at times that the clock shows twice"
        ", instead of 2026-12-24 to 2026-12-26 on the next day that is not off"
        ", and once now, since it has no start time, each run up to 1 hour later"
    )


def test_days_off_of_a_rule_without_times_of_day_have_their_zone() -> None:
    rule = {
        "frequency": "minute",
        "interval": 15,
        "timeZone": "Europe/Prague",
        "exclude": {"dates": ["2026-12-25"]},
    }

    assert sentence_of(rule, now="2026-01-10") == (
        "Every 15 minutes, except on 2026-12-25 (Europe/Prague time)"
    )
