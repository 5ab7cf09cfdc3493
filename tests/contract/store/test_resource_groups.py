import pytest
from msgspec.structs import replace

from foliot.core.ids import CollectionKey, JobId
from foliot.core.model.collection import Collection
from foliot.core.model.resource_group import ResourceGroup
from foliot.ports.store import Reading, Transaction
from tests.support.builders import (
    SUBSCRIPTION,
    a_collection,
    a_group,
    a_job,
    a_run,
    an_entry,
)
from tests.support.store_harness import Open, run, written

FULL = a_group(location="North Europe", tags={"Team": "Räder", "empty": ""})


@pytest.mark.parametrize(
    "group", [a_group(), FULL, a_group(tags={})], ids=["sparse", "full", "empty tags"]
)
def test_a_resource_group_comes_back_as_it_was_stored(store: Open, group: ResourceGroup) -> None:
    written(store, lambda to: to.save_resource_group(group))

    assert written(store, lambda to: to.resource_group(group.subscription, group.name)) == group


def test_a_resource_group_is_found_in_any_letter_case_and_keeps_its_name(store: Open) -> None:
    written(store, lambda to: to.save_resource_group(FULL))
    changed = replace(FULL, name="PROD", subscription=SUBSCRIPTION.upper(), tags={"a": "b"})

    written(store, lambda to: to.save_resource_group(changed))

    found = written(store, lambda to: to.resource_group(SUBSCRIPTION.upper(), "pROD"))
    assert found == replace(FULL, tags={"a": "b"})
    assert written(store, lambda to: to.count_resource_groups(SUBSCRIPTION)) == 1


@pytest.mark.parametrize(
    ("subscription", "name"),
    [("other", "Prod"), (SUBSCRIPTION, "Test"), (SUBSCRIPTION, "Pro_"), (SUBSCRIPTION, "%")],
    ids=["subscription", "name", "wildcard", "percent"],
)
def test_another_name_is_another_group(store: Open, subscription: str, name: str) -> None:
    written(store, lambda to: to.save_resource_group(a_group()))

    assert written(store, lambda to: to.resource_group(subscription, name)) is None


def test_a_group_that_is_not_stored_has_the_location_of_its_first_collection(store: Open) -> None:
    def add(to: Transaction) -> None:
        to.add_collection(a_collection("b", location="West US"))
        to.add_collection(a_collection("A", location="East US"))

    written(store, add)

    found = written(store, lambda to: to.resource_group(SUBSCRIPTION.upper(), "PROD"))
    listed = written(store, lambda to: to.resource_groups(SUBSCRIPTION))
    assert found == a_group(location="East US", is_stored=False)
    assert listed == [found]


def test_a_stored_group_is_itself_and_not_its_collections(store: Open) -> None:
    def add(to: Transaction) -> None:
        to.add_collection(a_collection(location="West US"))
        to.save_resource_group(FULL)

    written(store, add)

    assert written(store, lambda to: to.resource_group(SUBSCRIPTION, "prod")) == FULL
    assert written(store, lambda to: to.resource_groups(SUBSCRIPTION)) == [FULL]


def add_some(to: Transaction) -> None:
    for group, name in (("b", "Two"), ("B", "one"), ("D", "x")):
        to.add_collection(a_collection(name, group=group))
    to.add_collection(Collection(key=CollectionKey("Other", "a", "z")))
    for name in ("A", "c", "d"):
        to.save_resource_group(a_group(name))
    to.save_resource_group(a_group("e", subscription="third"))


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param({}, ["A", "B", "c", "d"], id="all, by name"),
        pytest.param({"limit": 2}, ["A", "B"], id="limit"),
        pytest.param({"skip": 1, "limit": 2}, ["B", "c"], id="skip and limit"),
        pytest.param({"after": "B"}, ["c", "d"], id="after"),
        pytest.param({"after": "b", "skip": 1}, ["d"], id="after and skip"),
        pytest.param({"after": "d"}, [], id="after the last"),
    ],
)
def test_resource_groups_are_listed(store: Open, page: dict[str, int], expected: list[str]) -> None:
    written(store, add_some)

    listed = written(store, lambda to: to.resource_groups(SUBSCRIPTION.upper(), **page))

    assert [each.name for each in listed] == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param({}, [SUBSCRIPTION, "other", "third"], id="all, by name"),
        pytest.param({"limit": 1}, [SUBSCRIPTION], id="limit"),
        pytest.param({"skip": 1}, ["other", "third"], id="skip"),
        pytest.param({"after": "OTHER"}, ["third"], id="after"),
    ],
)
def test_subscriptions_that_are_used_are_listed(
    store: Open, page: dict[str, int], expected: list[str]
) -> None:
    written(store, add_some)
    gone = written(
        store, lambda to: to.add_collection(Collection(key=CollectionKey("g", "g", "g")))
    )
    written(store, lambda to: to.delete_collection(gone.id))

    assert written(store, lambda to: to.subscriptions(**page)) == expected


def test_stored_groups_are_counted_by_subscription(store: Open) -> None:
    written(store, add_some)

    def counts(view: Reading) -> tuple[int, int]:
        upper = SUBSCRIPTION.upper()
        return view.count_resource_groups(upper), view.count_resource_groups("Other")

    assert run(store, lambda it: it.read(counts)) == (3, 0)


def test_a_deleted_group_leaves_its_collections_and_the_others(store: Open) -> None:
    written(store, add_some)

    written(store, lambda to: to.delete_resource_group(SUBSCRIPTION.upper(), "D"))
    written(store, lambda to: to.delete_resource_group(SUBSCRIPTION, "never stored"))

    listed = written(store, lambda to: to.resource_groups(SUBSCRIPTION))
    assert [(each.name, each.is_stored) for each in listed] == [
        ("A", True),
        ("B", False),
        ("c", True),
        ("D", False),
    ]


def test_the_collections_of_a_group_are_removed_with_all_that_is_in_them(store: Open) -> None:
    def add(to: Transaction) -> list[JobId]:
        jobs: list[JobId] = []
        for name, group in (("a", "prod"), ("b", "Prod"), ("c", "Test")):
            collection = to.add_collection(a_collection(name, group=group))
            job = to.add_job(a_job(collection.id))
            to.add_run(a_run(job))
            to.add_history(an_entry(job.id))
            jobs.append(job.id)
        return jobs

    jobs = written(store, add)
    held = written(store, lambda to: to.count_jobs_of_group(SUBSCRIPTION.upper(), "PROD"))
    count = written(store, lambda to: to.delete_collections(SUBSCRIPTION.upper(), "PROD"))

    def left(to: Transaction) -> list[object]:
        return [
            [each.key.name for each in to.collections(SUBSCRIPTION)],
            [to.count_open_runs(each) for each in jobs],
            [len(to.history(each)) for each in jobs],
        ]

    assert (held, count) == (2, 2)
    assert written(store, left) == [["c"], [0, 0, 1], [0, 0, 1]]
    assert written(store, lambda to: to.delete_collections(SUBSCRIPTION, "prod")) == 0
    assert written(store, lambda to: to.count_jobs_of_group(SUBSCRIPTION, "prod")) == 0
