from collections.abc import Callable

import pytest
from msgspec.structs import replace

from foliot.core.access import scope_of
from foliot.core.errors import Conflict
from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.instant import LAST_TICK, Instant
from foliot.core.model.change import Change
from foliot.core.model.collection import CollectionState
from foliot.core.model.job import Definition, Job, JobRecord, JobState
from foliot.core.model.job_search import JobSearch
from foliot.core.rules.job_search import parse_search
from foliot.core.rules.lifecycle import FINAL
from foliot.ports.store import Transaction
from tests.support.builders import NOW, a_collection, a_job, a_key, a_run, an_entry
from tests.support.definitions import DEFINITIONS
from tests.support.store_harness import Open, browsed, stored_job, with_jobs, written

COLLECTION = CollectionId(1)


def fill(store: Open, *names: str) -> list[Job]:
    collection, jobs = written(store, lambda to: with_jobs(to, *names))
    assert collection.id == COLLECTION
    return jobs


def names(jobs: object) -> list[str]:
    assert isinstance(jobs, list)
    return [job.name for job in jobs]


@pytest.mark.parametrize("definition", DEFINITIONS.values(), ids=DEFINITIONS)
def test_a_job_comes_back_as_it_was_stored(store: Open, definition: Definition) -> None:
    fill(store)

    added = written(store, lambda to: to.add_job(a_job(COLLECTION, definition=definition)))

    assert added == replace(a_job(COLLECTION, definition=definition), id=added.id)
    assert added.id != 0
    assert written(store, lambda to: stored_job(to, "Nightly")) == added


def test_the_place_and_the_counters_of_a_job_come_back(store: Open) -> None:
    (job,) = fill(store, "a")
    changed = replace(
        job,
        definition=DEFINITIONS["http, full"],
        state=JobState.FAULTED,
        calendar_at=Instant(0),
        next_at=Instant(LAST_TICK),
        occurrence=1,
        generation=2,
        last_execution_at=Instant(NOW + 1),
        execution_count=3,
        failure_count=4,
        faulted_count=5,
        settled_at=Instant(NOW + 2),
        settled_well=False,
        ended_at=Instant(NOW + 3),
    )

    written(store, lambda to: to.save_job(changed))

    assert written(store, lambda to: stored_job(to, "a")) == changed


def test_a_job_is_found_in_any_letter_case_and_shown_as_created(store: Open) -> None:
    (job,) = fill(store, "Nightly")

    written(store, lambda to: to.save_job(replace(job, name="NIGHTLY", execution_count=1)))

    expected = replace(job, execution_count=1)
    assert written(store, lambda to: stored_job(to, "nIGHTLY")) == expected


def test_a_second_job_of_a_name_is_refused_in_any_letter_case_and_not_counted(store: Open) -> None:
    fill(store, "Nightly")

    def add_again(to: Transaction) -> int:
        with pytest.raises(Conflict, match="Job 'NIGHTLY' exists already"):
            to.add_job(a_job(COLLECTION, "NIGHTLY"))
        return to.count_jobs(COLLECTION)

    assert written(store, add_again) == 1


def test_collections_may_have_jobs_of_the_same_name(store: Open) -> None:
    (first,) = fill(store, "Nightly")
    other = written(store, lambda to: to.add_collection(a_collection("other")))

    second = written(store, lambda to: to.add_job(a_job(other.id, "Nightly")))

    assert written(store, lambda to: stored_job(to, "Nightly")) == first
    assert written(store, lambda to: stored_job(to, "Nightly", other.key)) == second


def test_a_job_needs_its_collection(store: Open) -> None:
    with pytest.raises(Conflict, match="belongs to no longer exists"):
        written(store, lambda to: to.add_job(a_job(CollectionId(9))))


@pytest.mark.parametrize(
    "change", [{"id": JobId(9)}, {"name": "b"}, {"collection_id": CollectionId(2)}], ids=str
)
def test_a_job_that_is_gone_cannot_be_saved(store: Open, change: dict[str, object]) -> None:
    (job,) = fill(store, "a")

    with pytest.raises(Conflict, match="no longer exists"):
        written(store, lambda to: to.save_job(replace(job, **change)))

    assert written(store, lambda to: stored_job(to, "a")) == job


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param({}, ["a", "B", "c", "D", "e"], id="all, by folded name"),
        pytest.param({"limit": 2}, ["a", "B"], id="limit"),
        pytest.param({"limit": 0}, [], id="no limit left"),
        pytest.param({"skip": 1, "limit": 2}, ["B", "c"], id="skip and limit"),
        pytest.param({"skip": 9}, [], id="skip past the end"),
        pytest.param({"after": "b"}, ["c", "D", "e"], id="after"),
        pytest.param({"after": "B"}, ["c", "D", "e"], id="after, in another letter case"),
        pytest.param({"after": "b", "skip": 1, "limit": 1}, ["D"], id="after, skip and limit"),
        pytest.param({"after": "bb"}, ["c", "D", "e"], id="after what is not there"),
        pytest.param({"after": "e"}, [], id="after the last"),
        pytest.param({"state": JobState.DISABLED}, ["B", "e"], id="state"),
        pytest.param({"state": JobState.FAULTED}, [], id="state of none"),
        pytest.param({"state": JobState.ENABLED, "skip": 1}, ["c", "D"], id="state and skip"),
        pytest.param({"state": JobState.DISABLED, "after": "b"}, ["e"], id="state and after"),
        pytest.param({"state": JobState.ENABLED, "limit": 1}, ["a"], id="state and limit"),
    ],
)
def test_jobs_are_listed(store: Open, page: dict[str, int], expected: list[str]) -> None:
    jobs = fill(store, "c", "B", "a", "e", "D")
    for job in jobs:
        if job.name in "Be":
            disabled = replace(job, state=JobState.DISABLED)
            written(store, lambda to, disabled=disabled: to.save_job(disabled))

    assert names(written(store, lambda to: to.jobs(COLLECTION, **page))) == expected
    assert names(browsed(store, lambda view: view.jobs(COLLECTION, **page))) == expected


def test_listed_jobs_are_those_that_were_stored(store: Open) -> None:
    fill(store)
    jobs = [
        a_job(COLLECTION, f'{number}-"\\☃', definition=definition, next_at=Instant(LAST_TICK))
        for number, definition in enumerate(DEFINITIONS.values(), start=10)
    ]

    added = written(store, lambda to: [to.add_job(job) for job in jobs])

    assert browsed(store, lambda view: view.jobs(COLLECTION)) == added


def test_a_listing_of_jobs_goes_on_stably_while_some_come_and_go(store: Open) -> None:
    jobs = fill(store, "b", "d", "f", "h")

    first = written(store, lambda to: to.jobs(COLLECTION, limit=2))
    written(store, lambda to: to.add_job(a_job(COLLECTION, "a")))
    written(store, lambda to: to.add_job(a_job(COLLECTION, "e")))
    written(store, lambda to: to.delete_job(jobs[1].id))
    rest = written(store, lambda to: to.jobs(COLLECTION, after=first[-1].name))

    assert names([*first, *rest]) == ["b", "d", "e", "f", "h"]


def test_a_job_is_the_same_value_until_it_changes(store: Open) -> None:
    (job,) = fill(store, "a")

    def read(to: Transaction) -> list[Job | None]:
        return [stored_job(to, "a"), *to.jobs(COLLECTION)]

    found = written(store, lambda to: [*read(to), *read(to)])
    assert all(each is found[0] for each in found)

    written(store, lambda to: to.advance_job(replace(job, execution_count=1)))
    assert written(store, read) == [replace(job, execution_count=1)] * 2

    written(store, lambda to: to.save_job(replace(job, definition=DEFINITIONS["http, full"])))
    assert written(store, read) == [replace(job, definition=DEFINITIONS["http, full"])] * 2


def test_jobs_of_other_collections_are_not_listed(store: Open) -> None:
    fill(store, "a")
    other = written(store, lambda to: to.add_collection(a_collection("other")))

    assert written(store, lambda to: to.jobs(other.id)) == []


def test_jobs_are_counted_as_they_come_and_go(store: Open) -> None:
    jobs = fill(store, "a", "b", "c")

    written(store, lambda to: to.delete_job(jobs[0].id))
    written(store, lambda to: to.delete_job(jobs[0].id))
    written(store, lambda to: to.add_job(a_job(COLLECTION, "d")))
    written(store, lambda to: to.save_job(replace(jobs[1], execution_count=1)))

    assert written(store, lambda to: to.count_jobs(COLLECTION)) == 3
    assert written(store, lambda to: to.count_jobs(CollectionId(9))) == 0


def test_a_deleted_job_takes_its_runs_and_its_history_along(store: Open) -> None:
    job, other = fill(store, "a", "b")

    def add(to: Transaction) -> None:
        for each in (job, other):
            to.add_run(a_run(each))
            to.add_history(an_entry(each.id))
        to.delete_job(job.id)

    written(store, add)

    def left(to: Transaction) -> list[tuple[bool, int, int]]:
        return [
            (
                stored_job(to, each.name) is not None,
                to.count_open_runs(each.id),
                len(to.history(each.id)),
            )
            for each in (job, other)
        ]

    assert written(store, left) == [(False, 0, 0), (True, 1, 1)]


def test_the_id_of_a_deleted_job_is_not_given_again(store: Open) -> None:
    (first,) = fill(store, "a")
    written(store, lambda to: to.delete_job(first.id))

    second = written(store, lambda to: to.add_job(a_job(COLLECTION, "a")))

    assert second.id != first.id


def test_an_advanced_job_keeps_its_definition_and_its_name(store: Open) -> None:
    (job,) = fill(store, "a")
    advanced = replace(
        job,
        calendar_at=Instant(1),
        next_at=Instant(2),
        occurrence=3,
        generation=4,
        last_execution_at=Instant(5),
        execution_count=6,
        failure_count=7,
        faulted_count=8,
        settled_at=Instant(9),
        settled_well=False,
    )

    other = DEFINITIONS["http, full"]
    written(store, lambda to: to.advance_job(replace(advanced, name="A", definition=other)))

    assert written(store, lambda to: stored_job(to, "a")) == advanced


@pytest.mark.parametrize("state", JobState)
def test_a_job_is_advanced_into_any_state(store: Open, state: JobState) -> None:
    (job,) = fill(store, "a")
    ended_at = NOW if state in FINAL else None
    advanced = replace(job, state=state, execution_count=1, ended_at=ended_at)

    written(store, lambda to: to.advance_job(advanced))

    assert written(store, lambda to: to.jobs(COLLECTION, state=state)) == [advanced]


def test_other_jobs_stay_where_they_are_when_one_is_advanced(store: Open) -> None:
    job, other = fill(store, "a", "b")

    written(store, lambda to: to.advance_job(replace(job, state=JobState.COMPLETED, occurrence=1)))

    assert written(store, lambda to: stored_job(to, "b")) == other


def test_a_job_that_is_gone_cannot_be_advanced(store: Open) -> None:
    with pytest.raises(Conflict, match="Job 'Nightly' no longer exists"):
        written(store, lambda to: to.advance_job(a_job(COLLECTION, id=JobId(9))))


def test_many_jobs_are_advanced_and_settled_at_once(store: Open) -> None:
    jobs = fill(store, *(f"job{n:03}" for n in range(300)))
    moved = [
        replace(job, next_at=Instant(NOW + n), occurrence=n, execution_count=n + 1)
        for n, job in enumerate(jobs)
    ]
    settled = [
        replace(
            job,
            last_execution_at=Instant(NOW + n),
            failure_count=n,
            faulted_count=n + 1,
            settled_at=Instant(NOW + 2),
            settled_well=False,
        )
        for n, job in enumerate(moved)
    ]

    written(store, lambda to: to.advance_jobs(moved))
    assert written(store, lambda to: to.jobs(COLLECTION, limit=1000)) == moved

    written(store, lambda to: to.settle_jobs(settled))
    assert written(store, lambda to: to.jobs(COLLECTION, limit=1000)) == settled


@pytest.mark.parametrize("state", JobState)
def test_jobs_are_advanced_and_settled_into_any_state(store: Open, state: JobState) -> None:
    jobs = fill(store, "a", "b", "c")
    changed = [jobs[0], replace(jobs[1], state=state, next_at=None), jobs[2]]

    written(store, lambda to: to.advance_jobs(changed))
    assert written(store, lambda to: to.jobs(COLLECTION)) == changed

    written(store, lambda to: to.settle_jobs(jobs))
    assert written(store, lambda to: to.jobs(COLLECTION)) == jobs


def test_to_settle_a_job_leaves_alone_when_it_is_due(store: Open) -> None:
    (job,) = fill(store, "a")
    written(store, lambda to: to.advance_jobs([replace(job, next_at=NOW, occurrence=1)]))

    written(store, lambda to: to.settle_jobs([replace(job, failure_count=1)]))

    expected = replace(job, next_at=NOW, occurrence=1, failure_count=1)
    assert written(store, lambda to: stored_job(to, "a")) == expected


CHANGES: dict[str, Callable[[Transaction, Job], object]] = {
    "definition": lambda to, job: to.save_job(job),
    "state": lambda to, job: to.advance_job(replace(job, state=JobState.DISABLED)),
    "next time": lambda to, job: to.advance_jobs([replace(job, next_at=NOW)]),
    "occurrence": lambda to, job: to.advance_jobs([replace(job, occurrence=1)]),
    "outcome": lambda to, job: to.settle_jobs([replace(job, settled_at=NOW)]),
    "run": lambda to, job: to.add_run(a_run(job)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_the_mark_of_a_job_changes_with_it(
    store: Open, change: Callable[[Transaction, Job], object]
) -> None:
    job, other = fill(store, "b", "A")
    before = written(store, lambda to: to.job_marks(COLLECTION))

    written(store, lambda to: change(to, job))

    after = written(store, lambda to: to.job_marks(COLLECTION))
    assert [mark.name for mark in after.values()] == ["A", "b"]
    assert after[other.id] == before[other.id]
    assert after[job.id] != before[job.id]
    assert (after[job.id].seal != before[job.id].seal) is (change is CHANGES["definition"])
    assert written(store, lambda to: to.job_marks(CollectionId(9))) == {}


LATER = Instant(NOW + 5)


def test_who_created_and_changed_a_job_is_kept(store: Open) -> None:
    fill(store)

    def add(to: Transaction) -> tuple[JobRecord, Job]:
        job = to.add_job(a_job(COLLECTION), Change(NOW, "ann"))
        return to.job_record(job.id), job

    first, job = written(store, add)

    def save(to: Transaction) -> JobRecord:
        to.save_job(job, Change(LATER, "Räder; 'ops'"))
        return to.job_record(job.id)

    assert first == JobRecord(NOW, NOW, "ann")
    assert written(store, save) == JobRecord(NOW, LATER, "Räder; 'ops'")


def test_a_change_of_state_alone_is_noted(store: Open) -> None:
    (job, other) = fill(store, "a", "b")

    def note(to: Transaction) -> tuple[JobRecord, JobRecord]:
        to.note_job_change(job.id, Change(LATER, "ann"))
        return to.job_record(job.id), to.job_record(other.id)

    assert written(store, note) == (JobRecord(None, LATER, "ann"), JobRecord(None, None, None))


def test_what_is_stored_without_a_caller_keeps_the_last_one(store: Open) -> None:
    fill(store)
    job = written(store, lambda to: to.add_job(a_job(COLLECTION), Change(NOW, "ann")))

    def go_on(to: Transaction) -> JobRecord:
        to.save_job(replace(job, execution_count=9))
        to.advance_job(replace(job, execution_count=10))
        return to.job_record(job.id)

    assert written(store, go_on) == JobRecord(NOW, NOW, "ann")


def test_a_job_that_is_gone_has_no_record(store: Open) -> None:
    (job,) = fill(store, "a")
    written(store, lambda to: to.delete_job(job.id))

    assert written(store, lambda to: to.job_record(job.id)) == JobRecord(None, None, None)


def moved_to_other(store: Open, *, name: str = "Nightly", **fields: object) -> tuple[Job, Job]:
    """Add a job with a run and history, and move it to a second collection."""
    change = Change(NOW, "ann")
    due = replace(a_job(COLLECTION), next_at=NOW)
    fill(store)
    job = written(store, lambda to: to.add_job(due))
    other = written(store, lambda to: to.add_collection(a_collection("Other", **fields)))
    written(store, lambda to: to.add_run(a_run(job)))
    written(store, lambda to: to.add_history(an_entry(job.id)))
    moved = replace(job, collection_id=other.id, name=name)
    written(store, lambda to: to.move_job(moved, change))
    return job, moved


def test_a_moved_job_keeps_its_runs_and_history(store: Open) -> None:
    job, moved = moved_to_other(store, name="Weekly")

    assert written(store, lambda to: stored_job(to, "Nightly")) is None
    assert written(store, lambda to: stored_job(to, "weekly", a_key("Other"))) == moved
    assert len(written(store, lambda to: to.runs(job.id))) == 1
    assert len(written(store, lambda to: to.history(job.id))) == 1
    assert written(store, lambda to: to.job_record(job.id)).changed_by == "ann"
    assert written(store, lambda to: to.count_jobs(COLLECTION)) == 0
    assert written(store, lambda to: to.count_jobs(moved.collection_id)) == 1


@pytest.mark.parametrize(
    ("state", "due"),
    [(CollectionState.ENABLED, 1), (CollectionState.DISABLED, 0)],
)
def test_a_moved_job_is_due_once_if_its_new_collection_is_enabled(
    store: Open, state: CollectionState, due: int
) -> None:
    moved_to_other(store, state=state)

    assert len(written(store, lambda to: to.due_jobs(NOW, 10))) == due


def test_a_moved_job_is_found_by_its_new_place_and_name_alone(store: Open) -> None:
    moved_to_other(store, name="Weekly")

    def found(to: Transaction, key: CollectionKey, text: str) -> list[str]:
        wanted = JobSearch(terms=parse_search(text))
        return [each.name for each in to.search_jobs(scope_of(key), wanted, limit=10)]

    assert written(store, lambda to: found(to, a_key("Other"), "week")) == ["Weekly"]
    assert written(store, lambda to: found(to, a_key("Other"), "night")) == []
    assert written(store, lambda to: found(to, a_key(), "")) == []
