"""Redrives, backfills and cancellations over the API, with an engine beside it."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from foliot.core.instant import HOUR, MINUTE, SECOND, Instant
from foliot.core.model.attempt import AttemptRequest, Outcome
from foliot.core.model.run import Run
from foliot.core.model.token import Role
from tests.api.test_access import INSIDE, OUTSIDE
from tests.support.api_client import COLLECTION, JOB, JOBS
from tests.support.builders import NOW, at
from tests.support.engine_world import failing
from tests.support.served_engine import OWN, ServedEngine

BEGIN = "2026-01-10T00:00:00Z"
HOURLY: dict[str, Any] = {"frequency": "hour"}
MINUTELY: dict[str, Any] = {"frequency": "minute"}
REQUEST: dict[str, Any] = {"type": "Http", "request": {"uri": "http://a.test/", "method": "GET"}}
NO_RETRY = {"retryPolicy": {"retryType": "none"}}
RETRY = {"retryPolicy": {"retryInterval": "PT1H", "retryCount": 1}}
EVER = {"from": "2025-01-01T00:00:00Z", "to": "2027-01-01T00:00:00Z"}
OLD_VERSIONS = ["2014-08-01-preview", "2016-01-01", "2016-03-01"]
CALLS: list[tuple[str, Any]] = [
    ("redrive", EVER),
    ("backfill", {"from": "2026-01-09T00:00:00Z", "to": BEGIN}),
    ("runs/cancel", None),
    ("runs/some/cancel", None),
]


def succeed(_: AttemptRequest) -> Outcome:
    return Outcome(succeeded=True, message="ok")


@pytest.fixture
def failed(served: ServedEngine) -> ServedEngine:
    """Return a server with three occurrences that were given up, at 00:00, 01:00 and 02:00."""
    served.targets.answer = failing()
    served.put(startTime=BEGIN, recurrence=HOURLY, action={**REQUEST, **NO_RETRY})
    served.advance_to("2026-01-10T02:30:00Z")
    served.targets.answer = succeed
    served.targets.sent.clear()
    return served


def open_runs(served: ServedEngine) -> list[Run]:
    client, job = served.client, served.client.job()
    return client.run(client.store.read(lambda view: view.runs(job.id)))


def in_progress(served: ServedEngine) -> int:
    """Count the runs that do not wait their turn."""
    return sum(run.due_at is not None for run in open_runs(served))


def times_sent(served: ServedEngine) -> list[str]:
    return [_time(each.expected_at) for each in served.targets.sent]


def _time(at: Instant) -> str:
    minutes = (at - NOW) // MINUTE
    return f"{minutes // 60:02}:{minutes % 60:02}"


# Redrive


def test_a_redrive_repeats_what_was_given_up_with_new_tags_and_the_old_times(
    failed: ServedEngine,
) -> None:
    old = {run["tag"] for run in failed.runs()}
    reply = failed.post("redrive", EVER)
    failed.step()

    assert (reply.status, reply.json) == (200, {"planned": 3, "leftOut": 0, "left": 0})
    assert times_sent(failed) == ["00:00", "01:00", "02:00"]
    runs = failed.runs("trigger=redrive")
    assert {run["outcome"] for run in runs} == {"succeeded"}
    assert {run["tag"] for run in runs} & old == set()
    assert sorted(run["plannedAt"][11:16] for run in runs) == ["00:00", "01:00", "02:00"]


def test_a_redrive_counts_as_executions_but_not_as_occurrences(failed: ServedEngine) -> None:
    before = failed.client.job()
    failed.post("redrive", EVER)
    failed.step()

    job = failed.client.job()
    assert job.execution_count == before.execution_count + 3
    assert (job.occurrence, job.next_at) == (before.occurrence, before.next_at)


def test_a_redrive_has_no_line_of_its_own_in_the_ledger(failed: ServedEngine) -> None:
    query = "from=2026-01-10T00:00:00Z&to=2026-01-10T03:00:00Z"
    before = failed.listed("occurrences", query)
    failed.post("redrive", EVER)
    assert failed.listed("occurrences", query) == before
    failed.step()

    assert failed.listed("occurrences", query) == before


@pytest.mark.parametrize(
    ("since", "before", "expected"),
    [
        ("00:00", "02:00", ["00:00", "01:00"]),
        ("00:01", "02:01", ["01:00", "02:00"]),
        ("01:00", "01:01", ["01:00"]),
        ("00:01", "01:00", []),
    ],
)
def test_a_redrive_of_a_range_includes_from_and_not_to(
    failed: ServedEngine, since: str, before: str, expected: list[str]
) -> None:
    body = {"from": f"2026-01-10T{since}:00Z", "to": f"2026-01-10T{before}:00Z"}
    assert failed.post("redrive", body).json["planned"] == len(expected)
    failed.step()

    assert times_sent(failed) == expected


def test_a_redrive_of_a_tag_repeats_that_run(failed: ServedEngine) -> None:
    tag = next(run["tag"] for run in failed.runs() if run["plannedAt"][11:16] == "01:00")

    assert failed.post("redrive", {"tag": tag}).json["planned"] == 1
    failed.step()

    assert times_sent(failed) == ["01:00"]


def test_a_run_that_is_being_repeated_or_was_repeated_well_is_left_out(
    failed: ServedEngine,
) -> None:
    tag = failed.runs()[0]["tag"]
    assert failed.post("redrive", EVER).json["planned"] == 3
    assert failed.post("redrive", EVER).json["planned"] == 0
    assert failed.post("redrive", {"tag": tag}).status == 409
    failed.step()
    assert failed.post("redrive", EVER).json["planned"] == 0
    assert failed.post("redrive", {"tag": tag}).status == 409
    failed.step()

    assert len(failed.targets.sent) == 3


def test_a_repetition_that_failed_as_well_is_repeated_again(failed: ServedEngine) -> None:
    failed.targets.answer = failing()
    failed.post("redrive", EVER)
    failed.step()
    (tag, *_) = [run["tag"] for run in failed.runs("trigger=redrive")]

    assert failed.post("redrive", {"tag": tag}).json["planned"] == 1
    assert failed.post("redrive", EVER).json["planned"] == 2


def test_a_run_at_its_error_action_is_not_repeated_yet(served: ServedEngine) -> None:
    action = {**REQUEST, **NO_RETRY, "errorAction": {**REQUEST, **RETRY}}
    served.targets.answer = failing()
    served.put(startTime=BEGIN, recurrence=HOURLY, action=action)
    served.step()

    assert served.post("redrive", EVER).json["planned"] == 0


def test_a_run_in_progress_is_not_repeated(served: ServedEngine) -> None:
    served.targets.gate = asyncio.Event()
    served.put(startTime=BEGIN, recurrence=HOURLY, action={**REQUEST, **NO_RETRY})
    served.begin()
    ((tag, outcome),) = [(run["tag"], run["outcome"]) for run in served.runs()]
    assert outcome == "running"

    reply = served.post("redrive", {"tag": tag})

    assert reply.status == 409
    assert reply.message == (
        f"The run \"{tag}\" of the job '{served.client.job().name}' is open; "
        "wait for its end, or cancel it."
    )
    assert served.post("redrive", EVER).json["planned"] == 0
    assert len(open_runs(served)) == 1


def test_the_failed_run_of_a_job_that_has_ended_can_be_repeated(served: ServedEngine) -> None:
    served.targets.answer = failing()
    served.put(startTime=BEGIN, action={**REQUEST, **NO_RETRY})
    served.step()
    assert served.client.job().state == "faulted"
    ended_at = served.client.job().ended_at
    served.targets.answer = succeed

    assert served.post("redrive", EVER).json["planned"] == 1
    served.move(MINUTE)
    served.step()

    assert [run["outcome"] for run in served.runs()] == ["succeeded", "failed"]
    assert (served.client.job().state, served.client.job().ended_at) == ("faulted", ended_at)


def test_what_did_not_fail_is_not_repeated(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY)
    served.step()
    (run,) = served.runs()

    assert served.post("redrive", EVER).json == {"planned": 0, "leftOut": 0, "left": 0}
    reply = served.post("redrive", {"tag": run["tag"]})

    assert reply.status == 409
    assert run["tag"] in reply.message


def test_a_redrive_of_more_than_a_thousand_leaves_the_newest_for_the_next_call(
    served: ServedEngine,
) -> None:
    _fail_often(served, 1003)

    assert served.post("redrive", EVER).json == {"planned": 1000, "leftOut": 0, "left": 3}
    times = sorted(run.expected_at for run in open_runs(served) if not run.is_planned)
    assert times == [NOW + number * MINUTE for number in range(1000)]
    assert served.post("redrive", EVER).json == {"planned": 3, "leftOut": 0, "left": 0}


def _fail_often(served: ServedEngine, count: int) -> None:
    """Let so many occurrences fail, and targets be well again."""
    served.targets.answer = failing()
    served.put(
        startTime=BEGIN,
        recurrence=MINUTELY,
        action={**REQUEST, **NO_RETRY},
        policy={"catchUp": "all"},
    )
    while len(served.targets.sent) < count:
        served.move(min(1000, count - len(served.targets.sent)) * MINUTE - SECOND)
        served.step()
        served.move(SECOND)
    served.targets.answer = succeed
    served.targets.sent.clear()


@pytest.mark.parametrize(("overlap", "most", "count"), [("allow", 5, 1000), ("queue", 1, 100)])
def test_redriven_runs_are_made_once_each_and_few_at_a_time(
    served: ServedEngine, overlap: str, most: int, count: int
) -> None:
    _fail_often(served, count)
    served.put(
        startTime=BEGIN,
        recurrence=MINUTELY,
        action={**REQUEST, **NO_RETRY},
        policy={"overlap": overlap},
    )
    assert served.post("redrive", EVER).json["planned"] == count

    seen = _work_off(served)

    # Another occurrence has come due meanwhile.
    last = Instant(NOW + (count - 1) * MINUTE)
    redriven = Counter(each.expected_at for each in served.targets.sent if each.expected_at <= last)
    assert redriven == Counter(Instant(NOW + number * MINUTE) for number in range(count))
    assert max(seen) == most
    assert len(served.runs("trigger=redrive&outcome=succeeded")) == count


def _work_off(served: ServedEngine) -> list[int]:
    """Let the engine end all open runs, round by round; return how many were in progress."""
    seen = [in_progress(served)]

    async def round_() -> None:
        await served.engine.tick()
        await served.engine.drain()

    while open_runs(served):
        served.client.run(round_())
        seen.append(in_progress(served))
    return seen


# Backfill


@pytest.mark.parametrize(
    ("overlap", "most", "since"),
    [("allow", 5, "2026-01-09T07:20:00Z"), ("skip", 1, "2026-01-09T22:20:00Z")],
)
def test_backfilled_occurrences_run_once_each_and_few_at_a_time(
    served: ServedEngine, overlap: str, most: int, since: str
) -> None:
    served.put(startTime="2026-01-01T00:00:00Z", recurrence=MINUTELY, policy={"overlap": overlap})
    count = (NOW - at(since)) // MINUTE
    reply = served.post("backfill", {"from": since, "to": BEGIN})
    assert reply.json == {"planned": count, "leftOut": 0, "left": 0}

    seen = _work_off(served)

    sent = Counter(each.expected_at for each in served.targets.sent)
    assert sent == Counter(Instant(at(since) + number * MINUTE) for number in range(count))
    assert max(seen) == most


def test_occurrences_on_schedule_go_on_beside_a_backfill(served: ServedEngine) -> None:
    served.put(startTime="2026-01-01T00:00:00Z", recurrence=MINUTELY)
    served.targets.gate = asyncio.Event()
    served.post("backfill", {"from": "2026-01-09T07:20:00Z", "to": BEGIN})
    served.begin()
    assert len(served.targets.sent) == 5

    for minute in (1, 2, 3):
        served.client.clock.at = Instant(NOW + minute * MINUTE)
        served.begin()

    assert times_sent(served)[5:] == ["00:01", "00:02", "00:03"]
    assert len(served.runs("outcome=waiting&trigger=backfill")) == 995
    assert len(served.runs("outcome=running&trigger=backfill")) == 5


def test_all_that_waits_of_a_backfill_is_canceled_at_once(served: ServedEngine) -> None:
    served.put(startTime="2026-01-01T00:00:00Z", recurrence=MINUTELY)
    served.post("backfill", {"from": "2026-01-09T07:20:00Z", "to": BEGIN})
    served.post("run")

    reply = served.post("runs/cancel", query="trigger=backfill")

    assert reply.json == {"canceled": 1000}
    assert [run.trigger.value for run in open_runs(served)] == ["manual"]
    assert len(served.runs("trigger=backfill&outcome=canceled")) == 1000


def test_what_has_run_well_or_is_open_is_left_out_of_a_backfill(failed: ServedEngine) -> None:
    failed.advance_to("2026-01-10T03:30:00Z")
    failed.targets.answer = failing()
    failed.put(startTime=BEGIN, recurrence=HOURLY, action={**REQUEST, **RETRY})
    failed.advance_to("2026-01-10T04:30:00Z")
    body = {"from": BEGIN, "to": "2026-01-10T04:30:00Z"}

    # Three have failed; 03:00 ran well, and 04:00 waits for its retry.
    assert failed.post("backfill", body).json == {"planned": 3, "leftOut": 2, "left": 0}
    assert failed.post("backfill", body).json == {"planned": 0, "leftOut": 5, "left": 0}


def test_a_backfill_leaves_out_what_is_due_and_will_run_anyway(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence=HOURLY, policy={"catchUp": "all"})
    served.move(HOUR + SECOND)

    body = {"from": "2026-01-10T00:00:00Z", "to": "2026-01-10T01:00:01Z"}
    assert served.post("backfill", body).json == {"planned": 0, "leftOut": 2, "left": 0}
    served.step()

    assert sorted(times_sent(served)) == ["00:00", "01:00"]


def test_a_backfill_of_more_than_a_thousand_is_refused(served: ServedEngine) -> None:
    served.put(startTime="2026-01-01T00:00:00Z", recurrence=MINUTELY)

    reply = served.post("backfill", {"from": "2026-01-09T07:19:00Z", "to": BEGIN})

    assert reply.status == 400
    assert "to:" in reply.message
    assert "more than 1000 occurrences" in reply.message
    assert "2026-01-09 23:59:00 UTC" in reply.message
    assert open_runs(served) == []


def test_more_than_two_thousand_do_not_wait(served: ServedEngine) -> None:
    served.put(startTime="2026-01-01T00:00:00Z", recurrence=MINUTELY)
    for day, planned in (("08", 1000), ("07", 1000)):
        body = {"from": f"2026-01-{day}T00:00:00Z", "to": f"2026-01-{day}T16:40:00Z"}
        assert served.post("backfill", body).json["planned"] == planned

    reply = served.post("backfill", {"from": "2026-01-06T00:00:00Z", "to": "2026-01-06T16:40:00Z"})

    assert (reply.status, "wait already" in reply.message) == (409, True)
    assert len(open_runs(served)) == 2000


def test_a_run_by_hand_is_refused_where_two_thousand_wait_before_it(served: ServedEngine) -> None:
    served.put(startTime="2026-01-01T00:00:00Z", recurrence=MINUTELY, policy={"overlap": "queue"})
    for day in ("08", "07"):
        body = {"from": f"2026-01-{day}T00:00:00Z", "to": f"2026-01-{day}T16:40:00Z"}
        served.post("backfill", body)
    # One of them has begun.
    assert served.post("run").status == 200

    reply = served.post("run")

    assert reply.status == 409
    assert reply.message == (
        "2,000 runs of the job 'Nightly' in the collection 'Billing' wait already, and 2,000 may; "
        "wait for them, or cancel them."
    )
    assert len(open_runs(served)) == 2001


def test_a_backfill_reaches_to_before_the_job_existed(served: ServedEngine) -> None:
    daily = {"frequency": "day", "schedule": {"hours": [9], "minutes": [0]}}
    served.put(recurrence={**daily, "timeZone": "Europe/Berlin"})
    body = {"from": "2025-10-25T00:00:00Z", "to": "2025-10-28T00:00:00Z"}

    assert served.post("backfill", body).json["planned"] == 3
    times = {run["plannedAt"] for run in served.runs("trigger=backfill")}
    assert times == {"2025-10-25T07:00:00Z", "2025-10-26T08:00:00Z", "2025-10-27T08:00:00Z"}


def test_a_job_without_a_recurrence_has_nothing_to_backfill(served: ServedEngine) -> None:
    served.put(startTime="2026-02-01T00:00:00Z")

    reply = served.post("backfill", {"from": "2026-01-09T00:00:00Z", "to": BEGIN})

    assert (reply.status, "properties.recurrence" in reply.message) == (400, True)


def test_a_job_that_has_ended_can_be_backfilled(served: ServedEngine) -> None:
    served.put(startTime=BEGIN, recurrence={**HOURLY, "count": 1})
    served.step()
    assert served.client.job().state == "completed"

    body = {"from": BEGIN, "to": "2026-01-10T00:00:00.1Z"}
    served.move(SECOND)
    assert served.post("backfill", body).json == {"planned": 0, "leftOut": 1, "left": 0}


# Both


def test_runs_of_the_past_wait_until_their_job_is_enabled(failed: ServedEngine) -> None:
    job: dict[str, Any] = {
        "startTime": BEGIN,
        "recurrence": HOURLY,
        "action": {**REQUEST, **NO_RETRY},
        "policy": {"overlap": "queue"},
    }
    failed.put(**job, state="disabled")
    assert failed.post("redrive", EVER).json["planned"] == 3
    failed.step()
    assert times_sent(failed) == []

    failed.put(**job, state="enabled")
    _work_off(failed)

    assert times_sent(failed) == ["00:00", "01:00", "02:00"]


@pytest.mark.parametrize("path", ["redrive", "backfill"])
def test_runs_of_the_past_need_an_enabled_collection(failed: ServedEngine, path: str) -> None:
    failed.set_collection("disable")
    before = failed.client.state()

    reply = failed.post(path, {"from": BEGIN, "to": "2026-01-10T02:30:00Z"})

    assert (reply.status, "enable it" in reply.message) == (409, True)
    assert failed.client.state() == before


def test_a_request_counts_as_one_run_by_hand(failed: ServedEngine) -> None:
    for _ in range(10):
        assert failed.post("redrive", EVER).status == 200
        failed.targets.answer = failing()
        failed.step()

    reply = failed.post("redrive", EVER)

    assert reply.status in (409, 429)
    assert open_runs(failed) == []


@pytest.mark.parametrize("path", ["redrive", "backfill"])
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (None, []),
        ([], []),
        ("x", []),
        ({}, ["from", "missing"]),
        ({"from": BEGIN}, ["to"]),
        ({"to": BEGIN}, ["from"]),
        ({"from": "soon", "to": BEGIN}, ["from", "soon", "ISO 8601"]),
        ({"from": 3, "to": BEGIN}, ["from", "3"]),
        ({"from": BEGIN, "to": ["x"]}, ["to"]),
        ({"from": BEGIN, "to": BEGIN}, ["to", "later than from", "2026-01-10 00:00:00 UTC"]),
        (
            {"from": BEGIN, "to": "2026-01-01"},
            ["to: 2026-01-01 00:00:00 UTC is not valid; give a time later than from (2026-01-10"],
        ),
        ({"from": "2026-01-01", "to": BEGIN, "until": BEGIN}, ["until"]),
        ({"from": "2026-01-01", "to": BEGIN, "FROM": BEGIN}, []),
    ],
)
def test_a_bad_body_is_refused_and_changes_nothing(
    failed: ServedEngine, path: str, body: Any, expected: list[str]
) -> None:
    before = failed.client.state()

    reply = failed.post(path, body)

    assert reply.status == 400, reply.content
    assert [part for part in expected if part not in reply.message] == [], reply.message
    assert failed.client.state() == before


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("redrive", {}, ["from: is missing; give from and to, or the tag of a run."]),
        ("redrive", {"tag": None}, ["from and to, or the tag"]),
        ("redrive", {"tags": "x"}, ["tags"]),
        ("redrive", {"tag": "nobody"}, ["tag", "nobody"]),
        ("redrive", {"tag": 3}, ["tag", "3"]),
        ("redrive", {"tag": {}}, ["tag"]),
        ("redrive", {"tag": ""}, ["tag"]),
        ("redrive", {"tag": "x", "from": BEGIN}, ["tag", "from and to"]),
        ("redrive", {"tag": "x", "more": 1}, ["more"]),
        ("backfill", {"tag": "x"}, ["from"]),
        ("backfill", {"from": BEGIN, "to": "2026-01-11T00:00:00Z"}, ["to", "future", "02:30:00"]),
        ("backfill", {"from": "0001-01-01T00:00:00Z", "to": BEGIN}, []),
    ],
)
def test_a_body_that_fits_the_other_call_is_refused(
    failed: ServedEngine, path: str, body: Any, expected: list[str]
) -> None:
    failed.put(startTime="0001-01-01T00:00:00Z", recurrence=HOURLY)
    before = failed.client.state()

    reply = failed.post(path, body)

    assert reply.status == 400, reply.content
    assert [part for part in expected if part not in reply.message] == [], reply.message
    assert failed.client.state() == before


@pytest.mark.parametrize(
    "query", ["trigger=nobody", "outcome=running", "reason=x", "tag=x", "trigger=", "outcome="]
)
def test_a_filter_that_is_not_known_cancels_nothing(failed: ServedEngine, query: str) -> None:
    failed.post("redrive", EVER)

    assert failed.post("runs/cancel", query=query).status == 400
    assert len(open_runs(failed)) == 3


def test_a_body_that_chooses_runs_cancels_nothing(failed: ServedEngine) -> None:
    failed.post("redrive", EVER)

    reply = failed.post("runs/cancel", {"outcome": "waiting"})

    assert reply.status == 400
    assert "give the filters in the address" in reply.json["error"]["message"]
    assert len(open_runs(failed)) == 3
    assert failed.post("runs/cancel", {}).json == {"canceled": 3}


@pytest.mark.parametrize(("path", "body"), CALLS, ids=[path for path, _ in CALLS])
@pytest.mark.parametrize("scope", INSIDE.values(), ids=INSIDE)
def test_a_reader_repeats_and_cancels_nothing(
    failed: ServedEngine, path: str, body: Any, scope: dict[str, str]
) -> None:
    failed.as_(Role.READER, **scope)
    before = failed.client.state()

    reply = failed.post(path, body)

    assert (reply.status, reply.code) == (403, "AuthorizationFailed")
    assert failed.client.state() == before


@pytest.mark.parametrize(("path", "body"), CALLS[:3], ids=[path for path, _ in CALLS[:3]])
@pytest.mark.parametrize("scope", INSIDE.values(), ids=INSIDE)
def test_a_contributor_does(
    failed: ServedEngine, path: str, body: Any, scope: dict[str, str]
) -> None:
    failed.as_(Role.CONTRIBUTOR, **scope)

    assert failed.post(path, body).status == 200


@pytest.mark.parametrize(("path", "body"), CALLS, ids=[path for path, _ in CALLS])
@pytest.mark.parametrize("scope", OUTSIDE.values(), ids=OUTSIDE)
def test_nobody_outside_finds_the_job(
    failed: ServedEngine, path: str, body: Any, scope: dict[str, str]
) -> None:
    failed.as_(Role.OWNER, **scope)
    before = failed.client.state()

    assert failed.post(path, body).status == 404
    assert failed.client.state() == before


@pytest.mark.parametrize(("path", "body"), CALLS, ids=[path for path, _ in CALLS])
@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_old_versions_have_none_of_it(
    failed: ServedEngine, path: str, body: Any, version: str
) -> None:
    before = failed.client.state()

    reply = failed.client.post(f"{JOB}/{path}", body, query=f"api-version={version}")

    assert (reply.status, "2026-11-01" in reply.message) == (400, True)
    assert failed.client.state() == before


@pytest.mark.parametrize(("path", "body"), CALLS, ids=[path for path, _ in CALLS])
def test_a_job_that_is_not_there_is_not_found(failed: ServedEngine, path: str, body: Any) -> None:
    assert failed.client.post(f"{JOBS}/Nobody/{path}", body, query=OWN).status == 404
    other = COLLECTION.replace("Billing", "Other")
    assert failed.client.post(f"{other}/jobs/Nightly/{path}", body, query=OWN).status == 404
