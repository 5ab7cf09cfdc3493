"""The ledger of a job over the API: each planned time, what became of it, and why."""

import asyncio
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest

from foliot.core.instant import HOUR, MINUTE, SECOND, Instant
from foliot.core.model.ledger import LedgerLine
from foliot.core.model.token import Role
from foliot.core.rules.repeated_runs import TimeRange
from tests.api.test_access import INSIDE, OUTSIDE
from tests.support.api_client import JOB, JOBS, Client
from tests.support.builders import a_key
from tests.support.engine_world import OWNER, failing
from tests.support.served_engine import OWN, ServedEngine

BEGIN = "2026-01-10T00:00:00Z"
HOURLY: dict[str, Any] = {"frequency": "hour"}
MINUTELY: dict[str, Any] = {"frequency": "minute"}
DAILY: dict[str, Any] = {"frequency": "day", "schedule": {"hours": [9], "minutes": [0]}}
_LONG = 30.0
OLD_VERSIONS = ["2014-08-01-preview", "2016-01-01", "2016-03-01"]


def asked(since: str, before: str) -> str:
    return f"from=2026-01-{since}:00Z&to=2026-01-{before}:00Z"


def test_runs_skipped_times_and_coming_ones_have_one_line_each(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence=MINUTELY)
    served.advance_to("2026-01-10T00:01:30Z")
    served.move(4 * MINUTE)
    served.step()

    assert served.occurrences(asked("10T00:00", "10T00:08")) == [
        "01-10T00:00 succeeded",
        "01-10T00:01 succeeded",
        "01-10T00:02 skipped missed",
        "01-10T00:03 skipped missed",
        "01-10T00:04 skipped missed",
        "01-10T00:05 succeeded",
        "01-10T00:06 upcoming",
        "01-10T00:07 upcoming",
    ]


def test_a_line_of_a_run_has_its_trigger_its_tag_its_attempts_and_its_end(
    served: ServedEngine,
) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY)
    served.advance_to("2026-01-10T00:00:01Z")
    (run,) = served.runs()

    (line,) = served.listed("occurrences", asked("10T00:00", "10T01:00"))

    assert line == {
        "plannedAt": BEGIN,
        "outcome": "succeeded",
        "explanation": "It ran and succeeded.",
        "trigger": "schedule",
        "tag": run["tag"],
        "attempts": 1,
        "endTime": run["endTime"],
    }


def test_a_failed_run_says_how_often_it_was_tried(served: ServedEngine) -> None:
    served.targets.answer = failing()
    served.put(startTime=BEGIN, recurrence=HOURLY)
    served.step()

    (waiting,) = served.listed("occurrences", asked("10T00:00", "10T01:00"))
    served.advance_to("2026-01-10T00:30:00Z")
    (failed,) = served.listed("occurrences", asked("10T00:00", "10T01:00"))

    assert (waiting["outcome"], waiting["attempts"]) == ("waiting", 1)
    assert waiting["explanation"] == "Attempt 2 is due at 2026-01-10 00:00:30 UTC."
    assert (failed["outcome"], failed["attempts"]) == ("failed", 5)
    assert failed["explanation"].startswith("It failed after 5 attempts")


def test_an_attempt_in_progress_is_running(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY)
    served.targets.are_silent = True
    served.begin()

    (line,) = served.listed("occurrences", asked("10T00:00", "10T01:00"))

    assert (line["outcome"], line["attempts"]) == ("running", 0)
    assert line["explanation"] == "Attempt 1 is in progress."


def test_a_run_at_its_error_action_tells_the_attempts_at_its_main_action(
    served: ServedEngine,
) -> None:
    request = {"type": "Http", "request": {"uri": "http://127.0.0.1/", "method": "GET"}}
    retries = {"retryPolicy": {"retryInterval": "PT15S", "retryCount": 1}}
    served.targets.answer = failing()
    served.put(
        startTime=BEGIN,
        recurrence=HOURLY,
        action={**request, **retries, "errorAction": {**request, **retries}},
    )
    served.advance_to("2026-01-10T00:00:20Z")

    (line,) = served.listed("occurrences", asked("10T00:00", "10T01:00"))

    assert (line["outcome"], line["attempts"]) == ("waiting", 2)
    assert line["explanation"] == "Attempt 2 at the error action is due at 2026-01-10 00:00:30 UTC."


def test_a_canceled_run_is_canceled_and_manual_runs_have_no_line(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY)
    served.targets.answer = failing()
    served.step()
    served.post("run")
    served.step()
    assert served.post("runs/cancel").json == {"canceled": 2}

    (line,) = served.listed("occurrences", asked("10T00:00", "10T01:00"))

    assert (line["outcome"], line["explanation"]) == ("canceled", "It was canceled.")
    assert line["attempts"] == 1


def test_while_the_job_or_its_collection_is_disabled_times_are_skipped(
    served: ServedEngine,
) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY)
    served.advance_to("2026-01-10T00:30:00Z")
    served.put(startTime=BEGIN, recurrence=HOURLY, state="disabled")
    served.advance_to("2026-01-10T01:30:00Z")
    served.put(startTime=BEGIN, recurrence=HOURLY, state="enabled")
    served.set_collection("disable")
    served.advance_to("2026-01-10T02:30:00Z")
    served.set_collection("enable")
    served.advance_to("2026-01-10T03:30:00Z")

    assert served.occurrences(asked("10T00:00", "10T05:00")) == [
        "01-10T00:00 succeeded",
        "01-10T01:00 skipped disabled",
        "01-10T02:00 skipped disabled",
        "01-10T03:00 succeeded",
        "01-10T04:00 upcoming",
    ]


@pytest.mark.parametrize(
    ("then", "expected"),
    [
        ("skip", ["01-12T09:00 upcoming", "01-13T09:00 skipped dayOff", "01-14T09:00 upcoming"]),
        ("next", ["01-12T09:00 upcoming", "01-13T09:00 skipped dayOff", "01-14T09:00 upcoming"]),
        (
            "previous",
            ["01-12T09:00 upcoming", "01-13T09:00 skipped dayOff", "01-14T09:00 upcoming"],
        ),
    ],
)
def test_a_day_off_has_a_line_that_says_where_the_occurrence_moves(
    served: ServedEngine, then: str, expected: list[str]
) -> None:
    exclude = {"dates": ["2026-01-13"], "then": then}
    served.put(startTime=BEGIN, recurrence={**DAILY, "exclude": exclude})

    query = asked("12T00:00", "15T00:00")
    assert served.occurrences(query) == expected
    moved = [line.get("movedTo") for line in served.listed("occurrences", query)]
    day = {"skip": None, "next": "2026-01-14T09:00:00Z", "previous": "2026-01-12T09:00:00Z"}
    assert moved == [None, day[then], None]


def test_days_off_of_a_weekly_job_move_to_a_day_of_their_own(served: ServedEngine) -> None:
    weekly = {
        "frequency": "week",
        "schedule": {"weekDays": ["tuesday"], "hours": [9], "minutes": [0]},
    }
    exclude = {"dates": ["2026-01-13"], "then": "next"}
    served.put(startTime=BEGIN, recurrence={**weekly, "exclude": exclude})
    served.advance_to("2026-01-14T10:00:00Z")

    assert served.occurrences(asked("12T00:00", "22T00:00")) == [
        "01-13T09:00 skipped dayOff",
        "01-14T09:00 succeeded",
        "01-20T09:00 upcoming",
    ]


@pytest.mark.parametrize(
    ("day", "then", "target"),
    [("13", "previous", "2026-01-12"), ("20", "next", "2026-01-21")],
    ids=["before the start", "behind the end"],
)
def test_a_day_off_does_not_claim_to_move_to_where_nothing_runs(
    served: ServedEngine, day: str, then: str, target: str
) -> None:
    weekly = {
        "frequency": "week",
        "schedule": {"weekDays": ["tuesday"], "hours": [9], "minutes": [0]},
    }
    exclude = {"dates": [f"2026-01-{day}"], "then": then}
    rule = {**weekly, "endTime": "2026-01-20T12:00:00Z", "exclude": exclude}
    served.put(startTime="2026-01-13", recurrence=rule)

    (line,) = served.listed("occurrences", asked(f"{day}T00:00", f"{day}T12:00"))

    assert (line["reason"], line.get("movedTo")) == ("dayOff", None)
    assert line["explanation"] == (
        f"It will be skipped: the day is a day off, and {target} 09:00:00 UTC, to which it "
        "would move, is not a planned time."
    )


def test_before_it_was_created_a_job_was_not_planned(served: ServedEngine) -> None:
    served.put(startTime="2026-01-09T22:00:00Z", recurrence=HOURLY)

    lines = served.listed("occurrences", asked("09T20:00", "10T02:00"))

    assert [line["outcome"] for line in lines] == ["notPlanned"] * 3 + ["upcoming"]
    assert lines[0]["reason"] == "notCreated"
    assert lines[0]["explanation"] == (
        "It was not planned: the job did not exist before 2026-01-10 00:00:00 UTC."
    )


def test_before_a_calendar_was_in_force_the_one_of_then_counts(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence={"frequency": "hour", "interval": 2})
    served.advance_to("2026-01-10T03:10:00Z")
    served.put(startTime=BEGIN, recurrence=HOURLY)

    lines = served.listed("occurrences", asked("10T00:00", "10T05:00"))

    assert [line["outcome"] for line in lines] == [
        "succeeded",
        "notPlanned",
        "succeeded",
        "notPlanned",
        "upcoming",
    ]
    assert lines[1]["reason"] == "otherCalendar"
    assert lines[1]["explanation"] == (
        "It was not planned: another calendar was in force until 2026-01-10 03:10:00 UTC."
    )


def test_an_occurrence_whose_calendar_was_changed_before_it_began_was_not_planned(
    served: ServedEngine,
) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY)
    served.step()
    served.move(HOUR + 10 * SECOND)
    served.put(startTime="2026-01-10T01:30:00Z", recurrence=HOURLY)

    assert served.occurrences(asked("10T00:00", "10T03:00")) == [
        "01-10T00:00 succeeded",
        "01-10T01:00 notPlanned calendarChanged",
        "01-10T01:30 upcoming",
        "01-10T02:30 upcoming",
    ]


def test_without_from_and_to_the_answer_is_the_last_day(served: ServedEngine) -> None:
    served.put(startTime="2026-01-08T00:00:00Z", recurrence={"frequency": "hour", "interval": 6})
    served.move(6 * HOUR)

    assert served.occurrences("") == [
        "01-09T06:00 notPlanned notCreated",
        "01-09T12:00 notPlanned notCreated",
        "01-09T18:00 notPlanned notCreated",
        "01-10T00:00 notPlanned notCreated",
    ]


def test_without_to_the_answer_ends_a_day_after_from(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence={"frequency": "hour", "interval": 6})

    found = served.occurrences("from=2026-01-12T06:00:00Z")

    assert [each[:11] for each in found] == [
        "01-12T06:00",
        "01-12T12:00",
        "01-12T18:00",
        "01-13T00:00",
    ]


def test_from_is_included_and_to_is_not(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY)

    assert served.occurrences(asked("10T01:00", "10T02:00")) == ["01-10T01:00 upcoming"]
    assert served.occurrences(asked("10T01:01", "10T02:00")) == []


def test_pages_join_to_the_whole_without_gaps_or_repetitions(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence=MINUTELY)

    first = served.client.get(f"{JOB}/occurrences", query=f"{OWN}&{asked('10T00:00', '10T04:10')}")
    found = served.occurrences(asked("10T00:00", "10T04:10"))

    assert len(first.json["value"]) == 100
    assert "from=2026-01-10T00%3A00%3A00Z&to=2026-01-10T04%3A10%3A00Z" in first.json["nextLink"]
    assert len(found) == len(set(found)) == 250
    assert found == sorted(found)


def test_the_last_page_may_be_full(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence=MINUTELY)

    reply = served.client.get(f"{JOB}/occurrences", query=f"{OWN}&{asked('10T00:00', '10T01:40')}")

    assert (len(reply.json["value"]), reply.json["nextLink"]) == (100, None)


def test_top_limits_the_whole_answer(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence=MINUTELY)

    reply = served.client.get(f"{JOB}/occurrences", query=f"{OWN}&from={BEGIN}&$top=2")

    assert (len(reply.json["value"]), reply.json["nextLink"]) == (2, None)


def test_coming_lines_end_with_the_count_on_whichever_page(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence={**MINUTELY, "count": 150})

    assert len(served.occurrences(asked("10T00:00", "11T00:00"))) == 150
    assert served.occurrences(asked("10T02:28", "10T04:00")) == [
        "01-10T02:28 upcoming",
        "01-10T02:29 upcoming",
    ]
    assert served.occurrences(asked("11T00:00", "12T00:00")) == []


@pytest.mark.parametrize(
    "recurrence",
    [
        {**MINUTELY, "count": 3},
        {**MINUTELY, "exclude": {"dates": ["2026-01-10"]}},
        {
            **MINUTELY,
            "exclude": {"dates": ["2026-01-10"], "then": "next"},
            "timeZone": "Asia/Tokyo",
        },
        {**MINUTELY, "count": 3, "exclude": {"dates": ["2026-01-10"]}},
        {**DAILY, "timeZone": "America/New_York"},
        {**MINUTELY, "endTime": "2026-01-10T00:03:00Z"},
        {"frequency": "month", "schedule": {"monthDays": [29]}},
    ],
    ids=["count", "days off", "moved", "count and days off", "in a zone", "end", "month days"],
)
@pytest.mark.parametrize("start", [{"startTime": BEGIN}, {}], ids=["start", "no start"])
def test_the_whole_calendar_can_be_asked_for(
    served: ServedEngine, recurrence: dict[str, Any], start: dict[str, Any]
) -> None:
    served.put(**start, recurrence=recurrence)

    whole = "from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59.9999999Z"
    for query in (whole, f"{whole}&$top=1", "from=2126-01-01T00:00:00Z", "to=9999-12-31"):
        assert served.client.get(f"{JOB}/occurrences", query=f"{OWN}&{query}").status == 200


def test_pages_of_a_far_future_join_as_well(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence=MINUTELY)

    found = served.listed("occurrences", "from=2100-01-01T00:00:00Z&to=2100-01-01T03:00:00Z")

    assert len({line["plannedAt"] for line in found}) == len(found) == 180


@pytest.mark.parametrize("query", ["from=2127-01-01T00:00:00Z", "$skiptoken=3155378975999999999"])
def test_a_range_that_begins_too_far_ahead_is_refused(served: ServedEngine, query: str) -> None:
    served.put(startTime=BEGIN, recurrence=MINUTELY)

    reply = served.client.get(f"{JOB}/occurrences", query=f"{OWN}&to=9999-12-31&{query}")

    assert reply.status == 400
    assert "is not valid; give a time until 2126-03-" in reply.message


def test_a_job_that_runs_once_has_one_line(served: ServedEngine) -> None:
    served.put(startTime="2026-01-10T01:00:00Z")
    assert served.occurrences(asked("10T00:00", "12T00:00")) == ["01-10T01:00 upcoming"]

    served.advance_to("2026-01-10T02:00:00Z")
    assert served.occurrences(asked("10T00:00", "12T00:00")) == ["01-10T01:00 succeeded"]


def test_a_job_that_runs_once_and_was_enabled_late_has_a_line_for_its_run(
    served: ServedEngine,
) -> None:
    served.put(startTime="2026-01-10T01:00:00Z", state="disabled")
    served.advance_to("2026-01-10T02:00:00Z")
    served.put(startTime="2026-01-10T01:00:00Z", state="enabled")

    assert served.occurrences(asked("10T00:00", "12T00:00")) == [
        "01-10T01:00 skipped disabled",
        "01-10T02:00 upcoming",
    ]
    served.step()
    assert served.occurrences(asked("10T00:00", "12T00:00")) == [
        "01-10T01:00 skipped disabled",
        "01-10T02:00 succeeded",
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("from=soon", ["from:", '"soon"']),
        ("to=2026-13-01", ["to:", '"2026-13-01"']),
        ("from=2026-01-10&to=2026-01-10", ["to:", "2026-01-10", "later than from"]),
        ("to=2026-01-01", ["to:", "2026-01-01", "later than from"]),
        ("$top=0", ["$top", "0", "1"]),
        ("$top=101", ["$top", "101", "100"]),
        ("$skiptoken=x", ["$skiptoken", '"x"', "nextLink"]),
        ("$skiptoken=99999999999999999999", ["$skiptoken", "nextLink"]),
        ("since=2026-01-10", ['"since"', "from, to"]),
        ("$skip=3", ['"$skip"', "from, to"]),
    ],
)
def test_what_is_not_understood_is_refused(
    served: ServedEngine, query: str, expected: list[str]
) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY)

    reply = served.client.get(f"{JOB}/occurrences", query=f"{OWN}&{query}")

    assert reply.status == 400, reply.content
    assert [part for part in expected if part not in reply.message] == [], reply.message


@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_old_versions_do_not_have_the_ledger(served: ServedEngine, version: str) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY)

    reply = served.client.get(f"{JOB}/occurrences", query=f"api-version={version}")

    assert (reply.status, "2026-11-01" in reply.message) == (400, True)
    assert served.client.get(JOB, query=f"api-version={version}").status == 200


def test_a_job_that_is_not_there_has_no_ledger(billing: Client) -> None:
    assert billing.get(f"{JOBS}/Nobody/occurrences", query=OWN).status == 404


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("scope", INSIDE.values(), ids=INSIDE)
def test_everyone_in_scope_reads_the_ledger(
    served: ServedEngine, role: Role, scope: dict[str, str]
) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY)
    served.as_(role, **scope)

    assert served.client.get(f"{JOB}/occurrences", query=OWN).status == 200


@pytest.mark.parametrize("scope", OUTSIDE.values(), ids=OUTSIDE)
def test_nobody_outside_sees_it(served: ServedEngine, scope: dict[str, str]) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY)
    served.as_(Role.OWNER, **scope)

    assert served.client.get(f"{JOB}/occurrences", query=OWN).status == 404


def test_lists_do_not_wait_for_a_ledger(
    served: ServedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY)
    has_listed = Event()

    def ledger(*_: object) -> Iterator[LedgerLine]:
        """Take as long as a list."""
        assert has_listed.wait(_LONG)
        yield from ()

    monkeypatch.setattr("foliot.app.ledger.ledger", ledger)
    client = served.client
    range_ = TimeRange(client.clock.at, Instant(client.clock.at + HOUR))

    async def steps() -> None:
        lines = asyncio.create_task(
            client.use_cases.ledger.lines(OWNER, a_key(), "Nightly", range_, 1)
        )
        await asyncio.sleep(0)
        await client.store.browse(lambda reading: reading.nodes())
        has_listed.set()
        assert await lines == []

    client.run(steps())
