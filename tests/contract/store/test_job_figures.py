"""Figures about jobs, as metrics read them: in pages, by collection and state."""

from typing import Any

from msgspec.structs import replace

from foliot.core.ids import CollectionKey, JobId
from foliot.core.instant import Instant
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job, JobState
from foliot.core.model.job_figures import JobFigures, JobFiguresPage
from foliot.ports.store import Transaction
from tests.support.builders import NOW, a_collection, a_job
from tests.support.store_harness import Open, run, written


def key(name: str) -> CollectionKey:
    return CollectionKey("s", "g", name)


def add(to: Transaction, name: str, *jobs: dict[str, Any]) -> Collection:
    """Add a collection with jobs that have these fields."""
    collection = to.add_collection(replace(a_collection(), key=key(name)))
    for number, fields in enumerate(jobs):
        job: Job = replace(a_job(collection.id, f"job{number}"), **fields)
        to.add_job(job)
    return collection


def page(store: Open, after: int = 0, limit: int = 100) -> JobFiguresPage:
    return run(store, lambda it: it.read(lambda view: view.job_figures(JobId(after), limit=limit)))


def test_jobs_are_counted_by_collection_and_state(store: Open) -> None:
    well, later = {"settled_at": NOW}, Instant(NOW + 5)

    def change(to: Transaction) -> None:
        add(to, "a", {}, {"settled_at": later, "settled_well": False, "consecutive_failures": 3})
        add(to, "b", well, {**well, "settled_at": later}, {"state": JobState.DISABLED})

    written(store, change)

    found = page(store)
    assert sorted(found.figures, key=lambda each: (each.collection_id, each.state)) == [
        JobFigures(1, JobState.ENABLED, 2, 1, 3, None),
        JobFigures(2, JobState.DISABLED, 1, 0, 0, None),
        JobFigures(2, JobState.ENABLED, 2, 0, 0, later),
    ]
    assert found.last == 5


def test_pages_follow_each_other_until_one_has_no_jobs(store: Open) -> None:
    written(store, lambda to: add(to, "a", {}, {}, {}))

    first = page(store, limit=2)
    second = page(store, after=first.last or 0, limit=2)

    assert [sum(each.count for each in it.figures) for it in (first, second)] == [2, 1]
    assert page(store, after=second.last or 0) == JobFiguresPage((), None)


def test_deleted_jobs_are_passed_over_and_do_not_end_the_pages(store: Open) -> None:
    def change(to: Transaction) -> None:
        gone = add(to, "gone", {}, {})
        add(to, "kept", {})
        to.delete_collection(gone.id)

    written(store, change)

    hidden = page(store, limit=2)
    assert (hidden.figures, hidden.last) == ((), 2)
    assert [each.count for each in page(store, after=2).figures] == [1]


def test_the_oldest_collections_are_those_that_were_created_first(store: Open) -> None:
    written(store, lambda to: [add(to, name) for name in ("c", "b", "a")])

    def names(limit: int) -> list[str]:
        found = run(store, lambda it: it.read(lambda view: view.oldest_collections(limit)))
        assert sorted(found) == list(found)
        return [each.name for each in found.values()]

    assert names(2) == ["c", "b"]
    assert names(100) == ["c", "b", "a"]
    assert names(0) == []
    written(store, lambda to: to.delete_collection(to.collection(key("c")).id))
    assert names(2) == ["b", "a"]
