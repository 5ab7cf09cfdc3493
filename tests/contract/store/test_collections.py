import pytest
from msgspec.structs import replace

from foliot.core.errors import Conflict
from foliot.core.ids import CollectionId, CollectionKey, JobId
from foliot.core.instant import Instant
from foliot.core.model.collection import Collection, CollectionState, MaxRecurrence, Quota, Sku
from foliot.core.recurrence import Frequency
from foliot.ports.store import Reading, Transaction
from tests.support.builders import NOW, SUBSCRIPTION, a_collection, a_job, a_key, a_run, an_entry
from tests.support.store_harness import Open, run, with_jobs, written

FULL = Collection(
    key=a_key(),
    location="North Europe",
    tags={"Team": "Räder", "empty": ""},
    sku=Sku.P10_PREMIUM,
    state=CollectionState.SUSPENDED,
    quota=Quota(
        max_job_count=7,
        max_job_occurrence=0,
        max_recurrence=MaxRecurrence(Frequency.HOUR, interval=3),
    ),
    created_at=NOW,
    changed_at=Instant(NOW + 1),
    changed_by="Räder; 'ops'",
)


@pytest.mark.parametrize("collection", [a_collection(), FULL], ids=["sparse", "full"])
def test_a_collection_comes_back_as_it_was_stored(store: Open, collection: Collection) -> None:
    added = written(store, lambda to: to.add_collection(collection))

    assert added == replace(collection, id=added.id)
    assert added.id != 0
    assert written(store, lambda to: to.collection(collection.key)) == added


def test_empty_tags_and_an_empty_quota_are_not_absent_ones(store: Open) -> None:
    added = written(store, lambda to: to.add_collection(a_collection(tags={}, quota=Quota())))

    assert written(store, lambda to: to.collection(added.key)) == added


def test_a_collection_is_found_in_any_letter_case_and_shown_as_created(store: Open) -> None:
    added = written(store, lambda to: to.add_collection(a_collection("Billing", group="Prod")))
    key = CollectionKey(SUBSCRIPTION.upper(), "pROD", "BILLING")

    assert written(store, lambda to: to.collection(key)) == added


@pytest.mark.parametrize(
    "key",
    [
        CollectionKey("other", "Prod", "Billing"),
        CollectionKey(SUBSCRIPTION, "Test", "Billing"),
        CollectionKey(SUBSCRIPTION, "Prod", "Bill"),
        CollectionKey(SUBSCRIPTION, "Prod", "Billin_"),
        CollectionKey(SUBSCRIPTION, "Prod", "%"),
    ],
    ids=["subscription", "group", "name", "wildcard", "percent"],
)
def test_another_key_is_another_collection(store: Open, key: CollectionKey) -> None:
    written(store, lambda to: to.add_collection(a_collection("Billing", group="Prod")))

    assert written(store, lambda to: to.collection(key)) is None


def test_a_second_collection_of_a_key_is_refused_in_any_letter_case(store: Open) -> None:
    written(store, lambda to: to.add_collection(a_collection("Billing")))

    with pytest.raises(Conflict, match="'BILLING' exists already"):
        written(store, lambda to: to.add_collection(a_collection("BILLING")))


def test_a_changed_collection_replaces_the_former_but_keeps_its_key(store: Open) -> None:
    added = written(store, lambda to: to.add_collection(a_collection()))
    changed = replace(FULL, id=added.id)

    written(store, lambda to: to.save_collection(replace(changed, key=a_key("BILLING"))))

    assert written(store, lambda to: to.collection(added.key)) == replace(changed, created_at=None)


def test_a_change_keeps_when_a_collection_was_created(store: Open) -> None:
    added = written(store, lambda to: to.add_collection(FULL))
    changed = replace(added, created_at=Instant(0), changed_at=Instant(NOW + 9), changed_by="ann")

    written(store, lambda to: to.save_collection(changed))

    found = written(store, lambda to: to.collection(added.key))
    assert found == replace(changed, created_at=NOW)


def test_a_collection_that_is_gone_cannot_be_saved(store: Open) -> None:
    with pytest.raises(Conflict, match="'Billing' no longer exists"):
        written(store, lambda to: to.save_collection(a_collection(id=CollectionId(9))))


def add_some(to: Transaction) -> None:
    for group, name in (("b", "Two"), ("A", "x"), ("b", "one"), ("B", "three"), ("a", "Y")):
        to.add_collection(a_collection(name, group=group))
    to.add_collection(Collection(key=CollectionKey("other", "a", "z")))


def names(collections: object) -> list[str]:
    assert isinstance(collections, list)
    return [each.key.name for each in collections]


@pytest.mark.parametrize(
    ("group", "page", "expected"),
    [
        pytest.param(None, {}, ["x", "Y", "one", "three", "Two"], id="all, by group and name"),
        pytest.param("B", {}, ["one", "three", "Two"], id="one group"),
        pytest.param("c", {}, [], id="an unknown group"),
        pytest.param(None, {"limit": 2}, ["x", "Y"], id="limit"),
        pytest.param(None, {"skip": 1, "limit": 2}, ["Y", "one"], id="skip and limit"),
        pytest.param(None, {"skip": 9}, [], id="skip past the end"),
        pytest.param(None, {"after": ("a", "y")}, ["one", "three", "Two"], id="after"),
        pytest.param(None, {"after": ("A", "Y"), "skip": 1}, ["three", "Two"], id="after and skip"),
        pytest.param(None, {"after": ("b", "two")}, [], id="after the last"),
        pytest.param("b", {"after": ("b", "one")}, ["three", "Two"], id="after, in a group"),
        pytest.param("b", {"after": ("a", "z")}, ["one", "three", "Two"], id="after another group"),
    ],
)
def test_collections_are_listed(
    store: Open, group: str | None, page: dict[str, int], expected: list[str]
) -> None:
    written(store, add_some)

    listed = written(store, lambda to: to.collections(SUBSCRIPTION.upper(), group, **page))

    assert names(listed) == expected


def test_a_listing_of_collections_goes_on_stably_while_some_are_added(store: Open) -> None:
    written(store, add_some)

    first = written(store, lambda to: to.collections(SUBSCRIPTION, limit=2))
    written(store, lambda to: to.add_collection(a_collection("before", group="a")))
    written(store, lambda to: to.add_collection(a_collection("next", group="aa")))
    _, group, name = first[-1].key.folded
    rest = written(store, lambda to: to.collections(SUBSCRIPTION, after=(group, name)))

    assert names([*first, *rest]) == ["x", "Y", "next", "one", "three", "Two"]


def test_collections_are_counted_by_subscription_and_plan(store: Open) -> None:
    written(store, add_some)
    written(store, lambda to: to.add_collection(a_collection("free", sku=Sku.FREE)))

    def counts(view: Reading) -> tuple[int, int, int]:
        return (
            view.count_collections(SUBSCRIPTION.upper(), Sku.STANDARD),
            view.count_collections(SUBSCRIPTION, Sku.FREE),
            view.count_collections("unknown", Sku.FREE),
        )

    assert run(store, lambda it: it.read(counts)) == (5, 1, 0)


def test_a_deleted_collection_takes_all_that_is_in_it_along(store: Open) -> None:
    def add(to: Transaction) -> tuple[Collection, JobId]:
        collection, (job, *_) = with_jobs(to, "a", "b")
        to.add_run(a_run(job))
        to.add_history(an_entry(job.id))
        return collection, job.id

    collection, job_id = written(store, add)
    written(store, lambda to: to.delete_collection(collection.id))

    def left(to: Transaction) -> tuple[object, ...]:
        return (
            to.collection(collection.key),
            to.jobs(collection.id),
            to.count_jobs(collection.id),
            to.count_open_runs(job_id),
            to.history(job_id),
        )

    assert written(store, left) == (None, [], 0, 0, [])


def test_a_deleted_collection_leaves_the_others_alone(store: Open) -> None:
    other = written(store, lambda to: to.add_collection(a_collection("other")))
    job = written(store, lambda to: to.add_job(a_job(other.id)))
    collection, _ = written(store, lambda to: with_jobs(to, "a"))

    written(store, lambda to: to.delete_collection(collection.id))

    assert written(store, lambda to: to.collections(SUBSCRIPTION)) == [other]
    assert written(store, lambda to: to.jobs(other.id)) == [job]


def test_the_id_of_a_deleted_collection_is_not_given_again(store: Open) -> None:
    first = written(store, lambda to: to.add_collection(a_collection()))
    written(store, lambda to: to.delete_collection(first.id))

    second = written(store, lambda to: to.add_collection(a_collection()))

    assert second.id != first.id


def test_to_delete_a_collection_that_is_gone_is_no_error(store: Open) -> None:
    written(store, lambda to: to.delete_collection(CollectionId(9)))
