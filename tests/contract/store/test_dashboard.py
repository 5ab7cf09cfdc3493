"""The queries of the dashboard: within a scope, in order, and never more rows than the limit."""

from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.ids import CollectionKey
from foliot.core.instant import HOUR, MINUTE, SECOND, Instant
from foliot.core.model.collection import Collection, CollectionState
from foliot.core.model.dashboard import AttemptSample, LastRun, RetriedRuns, Totals
from foliot.core.model.history import AttemptStatus, RunOutcome
from foliot.core.model.job import Job, JobState
from foliot.core.model.run import PLANNED, Phase, Trigger
from foliot.core.model.token import Scope
from foliot.ports.store import Transaction
from tests.support.builders import NOW, a_collection, a_job, a_lease, a_run, an_entry
from tests.support.store_harness import Open, stored_job, with_jobs, written

FAILED, POSTPONED = AttemptStatus.FAILED, AttemptStatus.POSTPONED
EVERYTHING = Scope()


def in_scope(**parts: str) -> Scope:
    return Scope(**{name: text.lower() for name, text in parts.items()})


def two_collections(to: Transaction) -> tuple[Collection, Collection]:
    return (
        to.add_collection(a_collection("Billing", group="Prod")),
        to.add_collection(a_collection("Archive_1", group="Test")),
    )


def two_jobs(to: Transaction) -> tuple[Job, Job]:
    """A job in each of two collections."""
    first, second = two_collections(to)
    return to.add_job(a_job(first.id, "a")), to.add_job(a_job(second.id, "b"))


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param({}, ["Billing", "Archive_1"], id="all, by key"),
        pytest.param({"search": "ILL"}, ["Billing"], id="search in any letter case"),
        pytest.param({"search": "e_1"}, ["Archive_1"], id="a special character is itself"),
        pytest.param({"search": "%"}, [], id="another special character"),
        pytest.param({"limit": 1}, ["Billing"], id="limit"),
        pytest.param({"scope": in_scope(group="Test")}, ["Archive_1"], id="group"),
        pytest.param({"scope": in_scope(collection="billing")}, ["Billing"], id="collection"),
        pytest.param({"scope": in_scope(subscription="other")}, [], id="another subscription"),
    ],
)
def test_collections_are_seen(store: Open, page: dict[str, Any], expected: list[str]) -> None:
    written(store, two_collections)
    page = dict(page)
    scope = page.pop("scope", EVERYTHING)

    seen = written(store, lambda to: to.search_collections(scope, **page))

    assert [each.collection.key.name for each in seen] == expected


def test_collections_are_seen_of_every_subscription_page_by_page(store: Open) -> None:
    other = CollectionKey("00000000", "Prod", "Other")
    written(store, lambda to: (two_collections(to), to.add_collection(Collection(key=other))))

    first = written(store, lambda to: to.search_collections(EVERYTHING, limit=2))
    after = first[-1].collection.key
    rest = written(store, lambda to: to.search_collections(EVERYTHING, after=after))

    names = [each.collection.key.name for each in [*first, *rest]]
    assert names == ["Other", "Billing", "Archive_1"]


def test_a_collection_is_seen_with_how_many_jobs_it_has(store: Open) -> None:
    written(store, lambda to: with_jobs(to, "a", "b", "c"))

    (seen,) = written(store, lambda to: to.search_collections(EVERYTHING))

    assert seen.job_count == 3


def test_the_runs_of_a_job_are_seen_in_the_order_they_were_made(store: Open) -> None:
    def steps(to: Transaction) -> tuple[list[Any], Any]:
        _, (job, other) = with_jobs(to, "a", "b")
        added = [to.add_run(a_run(job, second=second)) for second in (2, 1)]
        to.add_run(a_run(other))
        return added, to.runs(job.id)

    added, seen = written(store, steps)

    assert seen == added


def test_held_runs_are_seen_with_the_place_of_their_job(store: Open) -> None:
    def steps(to: Transaction) -> tuple[Any, Any]:
        job, other = two_jobs(to)
        late = to.add_run(a_run(job, second=5, lease=a_lease(claim="x")))
        early = to.add_run(a_run(other, second=1, lease=a_lease(claim="y")))
        to.add_run(a_run(job, second=9))
        return (late, early), [
            to.held_runs(EVERYTHING, limit=9),
            to.held_runs(EVERYTHING, limit=1),
            to.held_runs(in_scope(group="prod"), limit=9),
        ]

    (late, early), (all_, first, of_group) = written(store, steps)

    assert [(each.key.name, each.job, each.run) for each in all_] == [
        ("Archive_1", "b", early),
        ("Billing", "a", late),
    ]
    assert first == all_[:1]
    assert of_group == all_[1:]


def add_coming(to: Transaction) -> None:
    first, second = two_collections(to)
    halted = to.add_collection(a_collection("Halted", state=CollectionState.DISABLED))
    for collection, name, minutes, state in (
        (first, "late", 50, JobState.ENABLED),
        (second, "soon", 5, JobState.ENABLED),
        (first, "far", 61, JobState.ENABLED),
        (first, "off", 1, JobState.DISABLED),
        (halted, "halted", 1, JobState.ENABLED),
        (first, "never", None, JobState.ENABLED),
    ):
        at = None if minutes is None else Instant(NOW + minutes * MINUTE)
        to.add_job(a_job(collection.id, name, next_at=at, state=state))


@pytest.mark.parametrize(
    ("scope", "limit", "expected"),
    [
        pytest.param(EVERYTHING, 9, ["soon", "late"], id="all"),
        pytest.param(EVERYTHING, 1, ["soon"], id="limit"),
        pytest.param(in_scope(group="prod"), 9, ["late"], id="scope"),
    ],
)
def test_coming_jobs_are_seen(store: Open, scope: Scope, limit: int, expected: list[str]) -> None:
    written(store, add_coming)

    seen = written(store, lambda to: to.coming_jobs(scope, Instant(NOW + HOUR), limit=limit))

    assert [each.job.name for each in seen] == expected
    assert all(each.collection.id == each.job.collection_id for each in seen)


@pytest.mark.parametrize(
    ("scope", "limit", "expected"),
    [
        pytest.param(EVERYTHING, 99, Totals(2, 1, 2), id="all"),
        pytest.param(EVERYTHING, 1, Totals(1, 1, 1), id="no further than the limit"),
        pytest.param(in_scope(group="test"), 99, Totals(0, 1, 1), id="scope"),
        pytest.param(in_scope(collection="none"), 99, Totals(0, 0, 0), id="nothing"),
    ],
)
def test_everything_is_counted(store: Open, scope: Scope, limit: int, expected: Totals) -> None:
    def steps(to: Transaction) -> Totals:
        job, other = two_jobs(to)
        to.save_job(replace(job, next_at=Instant(NOW + MINUTE)))
        to.save_job(replace(other, next_at=Instant(NOW + 2 * MINUTE)))
        for second in (1, 2):
            to.add_run(a_run(job, second=second, lease=a_lease(claim=str(second))))
        to.add_run(a_run(other, second=3, attempt=2))
        to.add_run(a_run(other, second=4))
        return to.totals(scope, Instant(NOW + HOUR), limit=limit)

    assert written(store, steps) == expected


def test_the_outcomes_of_some_jobs_are_seen_the_newest_first(store: Open) -> None:
    def steps(to: Transaction) -> tuple[list[Job], Any]:
        _, jobs = with_jobs(to, "a", "b", "c")
        for second, status in ((3, FAILED), (1, POSTPONED), (2, AttemptStatus.COMPLETED)):
            to.add_history(an_entry(jobs[0].id, second=second, status=status))
        to.add_history(an_entry(jobs[2].id, status=FAILED))
        return jobs, to.outcomes([jobs[0].id, jobs[1].id], limit=2)

    (job, idle, _), seen = written(store, steps)

    assert seen == {job.id: [FAILED, AttemptStatus.COMPLETED], idle.id: []}


def test_the_outcomes_of_a_job_are_those_of_its_main_action(store: Open) -> None:
    def steps(to: Transaction) -> tuple[Job, Any]:
        _, (job,) = with_jobs(to, "a")
        to.add_history(an_entry(job.id, second=1))
        to.add_history(an_entry(job.id, second=2, status=FAILED))
        to.add_history(an_entry(job.id, second=3, is_error_action=True))
        to.add_history(an_entry(job.id, second=4, status=POSTPONED))
        return job, to.outcomes([job.id], limit=9)

    job, seen = written(store, steps)

    assert seen == {job.id: [POSTPONED, FAILED, AttemptStatus.COMPLETED]}


def test_the_retried_runs_of_some_jobs_are_counted(store: Open) -> None:
    def steps(to: Transaction) -> tuple[list[Job], Any]:
        _, jobs = with_jobs(to, "a", "b", "c", "d")
        for second in (7, 5):
            to.add_run(a_run(jobs[0], second=second, attempt=2))
        to.add_run(a_run(jobs[0], second=8))
        to.add_run(a_run(jobs[1], second=9, attempt=3, lease=a_lease()))
        to.add_run(a_run(jobs[2], attempt=2, phase=Phase.ERROR))
        to.add_run(a_run(jobs[3], attempt=2))
        return jobs, to.retried_runs([job.id for job in jobs[:3]])

    (a, b, _, _), seen = written(store, steps)

    at_5 = Instant(NOW + 5 * SECOND)
    assert seen == {a.id: RetriedRuns(2, 2, at_5), b.id: RetriedRuns(1, 0, None)}


def test_the_jobs_of_a_collection_with_retried_runs_are_found(store: Open) -> None:
    def steps(to: Transaction) -> tuple[Any, Any]:
        first, second = two_jobs(to)
        to.add_run(a_run(first, second=1, attempt=2))
        to.add_run(a_run(first, second=2, attempt=2))
        to.add_run(a_run(second, second=1, attempt=2))
        return first, to.retried_jobs(first.collection_id)

    first, seen = written(store, steps)

    assert seen == {first.id}


def test_the_run_of_a_job_that_ended_last_is_found(store: Open) -> None:
    def steps(to: Transaction) -> tuple[list[Job], Any]:
        _, jobs = with_jobs(to, "a", "b")
        begun = [(3, RunOutcome.SUCCEEDED), (1, RunOutcome.FAILED), (2, None)]
        begun += [(4, RunOutcome.SKIPPED)]
        for second, outcome in begun:
            to.add_history(an_entry(jobs[0].id, second=second, outcome=outcome))
        return jobs, to.last_ended_runs([job.id for job in jobs])

    (a, _), seen = written(store, steps)

    # The one that began at 1 was recorded later: it took longer.
    assert seen == {a.id: LastRun(RunOutcome.FAILED, Instant(NOW + SECOND))}


def add_attempts_to_sample(to: Transaction, count: int) -> None:
    _, (job,) = with_jobs(to, "a")
    for second in range(count):
        to.add_history(an_entry(job.id, second=second))


def test_all_main_attempts_since_a_time_are_the_sample_when_there_are_few(store: Open) -> None:
    def steps(to: Transaction) -> Any:
        _, (job,) = with_jobs(to, "a")
        to.add_history(an_entry(job.id, second=-100))
        to.add_history(an_entry(job.id, second=1))
        to.add_history(an_entry(job.id, second=2, status=FAILED, retry_count=1))
        to.add_history(an_entry(job.id, second=3, is_error_action=True))
        for second, trigger in enumerate(Trigger, start=4):
            to.add_history(an_entry(job.id, second=second, trigger=trigger))
        return to.attempt_samples(NOW, points=20)

    attempt_samples = written(store, steps)

    assert attempt_samples == [
        AttemptSample(
            started_at=Instant(NOW + second * SECOND),
            ended_at=Instant(NOW + (second + 1) * SECOND),
            expected_at=Instant(NOW + second * SECOND),
            status=status,
            tells_delay=tells_delay,
            weight=1,
        )
        for second, status, tells_delay in (
            (1, AttemptStatus.COMPLETED, True),
            (2, FAILED, False),
            *(
                (second, AttemptStatus.COMPLETED, trigger in PLANNED)
                for second, trigger in enumerate(Trigger, start=4)
            ),
        )
    ]


def test_attempts_are_sampled_evenly_when_there_are_many(store: Open) -> None:
    written(store, lambda to: add_attempts_to_sample(to, 100))

    attempt_samples = written(
        store, lambda to: to.attempt_samples(Instant(NOW + 21 * SECOND), points=10)
    )

    # From the 20th second on, when the first of these ended, 80 were recorded.
    assert [(sample.started_at - NOW) // SECOND for sample in attempt_samples] == list(
        range(27, 100, 8)
    )
    assert {sample.weight for sample in attempt_samples} == {8}


def test_numbers_that_are_gone_do_not_hide_the_attempts_behind_them(store: Open) -> None:
    def steps(to: Transaction) -> Any:
        add_attempts_to_sample(to, 20)
        other = to.search_collections(EVERYTHING)[0].collection
        job = to.add_job(a_job(other.id, "b"))
        to.add_history(an_entry(job.id, second=30))
        found = stored_job(to, "a", other.key)
        assert found is not None
        to.purge_job(found.id)
        return to.attempt_samples(NOW, points=100)

    (sample,) = written(store, steps)

    assert sample.started_at == NOW + 30 * SECOND


@pytest.mark.parametrize(
    "count", [pytest.param(0, id="no history"), pytest.param(3, id="none new")]
)
def test_the_sample_is_empty_where_nothing_was_recorded(store: Open, count: int) -> None:
    written(store, lambda to: add_attempts_to_sample(to, count))

    assert written(store, lambda to: to.attempt_samples(Instant(NOW + HOUR), points=10)) == []
