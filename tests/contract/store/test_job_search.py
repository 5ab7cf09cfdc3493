"""Searches across collections: what they find, in which order, and within a scope."""

from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.ids import JobId
from foliot.core.model.action import Action, ActionKind, HttpRequest
from foliot.core.model.job import Definition, Job, JobState
from foliot.core.model.job_search import JobPosition, JobSearch
from foliot.core.model.run_outcome import RunOutcome
from foliot.core.model.token import Scope
from foliot.core.recurrence import Frequency, Recurrence
from foliot.core.rules.job_search import parse_search
from foliot.ports.store import Transaction
from tests.support.alerts import an_alert
from tests.support.builders import a_collection, a_job, a_run
from tests.support.store_harness import Open, with_jobs, written

EVERYTHING = Scope()
TEST = Scope(group="test")
MANY = 100


def a_definition(uri: str = "https://api.acme.example/hooks/secret", **fields: Any) -> Definition:
    action = Action(kind=ActionKind.HTTPS, part=HttpRequest(uri=uri, method="POST"))
    return Definition(action=action, recurrence=Recurrence(frequency=Frequency.DAY), **fields)


def fill(to: Transaction) -> list[Job]:
    billing = to.add_collection(a_collection("Billing", group="Prod"))
    archive = to.add_collection(a_collection("Archive", group="Test"))
    tagged = a_definition(tags={"Team": "Payments"})
    elsewhere = a_definition("https://other.example/")
    return [
        to.add_job(a_job(billing.id, "Nightly_1", definition=tagged)),
        to.add_job(a_job(billing.id, "weekly", definition=elsewhere, state=JobState.DISABLED)),
        to.add_job(
            a_job(archive.id, "nightly", definition=elsewhere, last_outcome=RunOutcome.FAILED)
        ),
    ]


def names(to: Transaction, scope: Scope = EVERYTHING, text: str = "", **search: Any) -> list[str]:
    wanted = JobSearch(terms=parse_search(text), **search)
    return [each.name for each in to.search_jobs(scope, wanted, limit=MANY)]


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        pytest.param({}, ["nightly", "Nightly_1", "weekly"], id="all, by folded name"),
        pytest.param({"text": "NIGHT"}, ["nightly", "Nightly_1"], id="any letter case"),
        pytest.param({"text": "y_1"}, ["Nightly_1"], id="a special character is itself"),
        pytest.param({"text": "%"}, [], id="another special character"),
        pytest.param({"text": "host:acme"}, ["Nightly_1"], id="host"),
        pytest.param({"text": "other.example week"}, ["weekly"], id="two words"),
        pytest.param({"text": "tag:team=pay"}, ["Nightly_1"], id="tag"),
        pytest.param({"text": "type:https name:weekly"}, ["weekly"], id="type and name"),
        pytest.param({"text": "schedule:day tag:team e i l n"}, ["Nightly_1"], id="six terms"),
        pytest.param({"text": "secret"}, [], id="a path is not searched"),
        pytest.param({"state": JobState.DISABLED}, ["weekly"], id="state"),
        pytest.param({"outcome": RunOutcome.FAILED}, ["nightly"], id="outcome of the last run"),
        pytest.param({"prefix": "Nightly"}, ["nightly", "Nightly_1"], id="beginning of names"),
        pytest.param({"scope": TEST}, ["nightly"], id="scope"),
        pytest.param({"scope": TEST, "text": "acme"}, [], id="outside the scope"),
    ],
)
def test_jobs_are_found(store: Open, search: dict[str, Any], expected: list[str]) -> None:
    written(store, fill)

    assert written(store, lambda to: names(to, **search)) == expected


def test_jobs_are_found_page_by_page(store: Open) -> None:
    jobs = written(store, fill)

    first = written(store, lambda to: to.search_jobs(EVERYTHING, JobSearch(), limit=1))
    rest = written(store, lambda to: names(to, after=first[0].position))

    assert first[0].position == JobPosition("nightly", jobs[2].id)
    assert rest == ["Nightly_1", "weekly"]


def test_a_found_job_has_its_collection_and_its_definition(store: Open) -> None:
    (job, *_) = written(store, fill)

    (found,) = written(
        store, lambda to: to.search_jobs(EVERYTHING, JobSearch(terms=parse_search("acme")), limit=9)
    )

    assert found.collection.key.name == "Billing"
    assert (found.name, found.state, found.host) == (job.name, job.state, "api.acme.example")
    assert found.job == job


def test_a_changed_job_is_found_by_what_it_is_now(store: Open) -> None:
    (job, *_) = written(store, fill)
    changed = replace(job, definition=a_definition("https://new.example/"))

    written(store, lambda to: to.save_job(changed))

    assert written(store, lambda to: names(to, text="host:acme")) == []
    assert written(store, lambda to: names(to, text="host:new.example")) == ["Nightly_1"]


def test_a_change_that_is_rolled_back_is_not_found(store: Open) -> None:
    (job, *_) = written(store, fill)

    def fail(to: Transaction) -> None:
        to.save_job(replace(job, definition=a_definition("https://new.example/")))
        raise LookupError

    with pytest.raises(LookupError):
        written(store, fail)

    assert written(store, lambda to: names(to, text="host:new.example")) == []


def test_a_deleted_job_is_not_found(store: Open) -> None:
    (job, *_) = written(store, fill)

    written(store, lambda to: to.delete_job(job.id))
    written(store, lambda to: to.delete_collection(job.collection_id))

    assert written(store, names) == ["nightly"]
    assert written(store, lambda to: to.count_all_jobs(EVERYTHING)) == 1


def test_jobs_are_counted_within_a_scope(store: Open) -> None:
    written(store, fill)

    assert written(store, lambda to: to.count_all_jobs(EVERYTHING)) == 3
    assert written(store, lambda to: to.count_all_jobs(TEST)) == 1


def test_hosts_are_found_with_the_number_of_their_jobs(store: Open) -> None:
    written(store, fill)

    def hosts(to: Transaction) -> list[Any]:
        return [
            [*to.search_hosts(EVERYTHING, "EXAMPLE", limit=9)],
            [*to.search_hosts(EVERYTHING, "", limit=1)],
            [*to.search_hosts(TEST, "example", limit=9)],
            [*to.search_hosts(EVERYTHING, "_", limit=9)],
        ]

    assert written(store, hosts) == [
        [("other.example", 2), ("api.acme.example", 1)],
        [("other.example", 2)],
        [("other.example", 1)],
        [],
    ]


def test_alerts_are_found_by_name_within_a_scope(store: Open) -> None:
    def steps(to: Transaction) -> None:
        for name, group in (("Billing", "Prod"), ("Archive", "Test")):
            owner = to.add_collection(a_collection(name, group=group))
            to.add_alert(an_alert(owner.id, f"On Call {name}"))

    written(store, steps)

    found = written(store, lambda to: [*to.search_alerts(EVERYTHING, "CALL", limit=9)])
    scoped = written(store, lambda to: [*to.search_alerts(TEST, "call", limit=9)])

    assert [each.name for each in found] == ["On Call Archive", "On Call Billing"]
    assert [each.key.name for each in scoped] == ["Archive"]


def test_what_jobs_of_an_earlier_version_are_searched_by_is_filled_in(store: Open) -> None:
    (job, other, last) = written(store, fill)
    written(store, lambda to: [forget(to, each) for each in (job, other)])
    assert written(store, lambda to: names(to, text="acme")) == []
    assert written(store, lambda to: names(to, text="nightly")) == ["nightly", "Nightly_1"]

    first = written(store, lambda to: to.jobs_without_words(JobId(0), 1))
    rest = written(store, lambda to: to.jobs_without_words(job.id, 9))
    written(store, lambda to: to.delete_job(other.id))
    written(store, lambda to: to.fill_words([job.id, other.id, last.id]))

    assert ([*first], [*rest]) == ([job.id], [other.id])
    assert written(store, lambda to: names(to, text="acme")) == ["Nightly_1"]
    assert written(store, lambda to: [*to.jobs_without_words(JobId(0), 9)]) == []


def forget(to: Any, job: Job) -> None:
    """Leave what a job is searched by as the migration of an earlier schema does."""
    to._dialect.run("save_words", unread(job))  # noqa: SLF001  (nothing else makes such a row)


def unread(job: Job) -> dict[str, Any]:
    name = job.name.lower()
    columns = {"job_id": job.id, "collection_id": job.collection_id, "folded_name": name}
    return {**columns, "host": None, "words": name}


def test_a_job_with_a_run_that_is_retried_is_one_of_those_that_failed(store: Open) -> None:
    def steps(to: Transaction) -> list[list[str]]:
        well = RunOutcome.SUCCEEDED
        _, (retried, _) = with_jobs(to, "retried", "idle")
        to.advance_job(replace(retried, last_outcome=well))
        to.add_run(a_run(retried, attempt=2))
        to.add_run(a_run(retried, second=1))
        return [names(to, outcome=each) for each in (RunOutcome.FAILED, well, RunOutcome.CANCELED)]

    assert written(store, steps) == [["retried"], ["retried"], []]
