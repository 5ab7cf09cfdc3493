"""A collection that is created with its first job: both are stored, or neither."""

import pytest

from foliot.app.use_cases import UseCases
from foliot.core.access import Principal
from foliot.core.errors import CollectionNotFound, Conflict, Forbidden, Invalid
from foliot.core.ids import CollectionId
from foliot.core.model.collection import Collection, Quota, Sku
from foliot.core.model.job import JobRecord
from foliot.core.model.token import Role, Scope
from foliot.core.rules.lifecycle import Revision
from tests.support.api_client import ManualClock
from tests.support.builders import NOW, SUBSCRIPTION, a_collection, a_job, a_key
from tests.unit.app.database import Database

WHO = Principal(Role.CONTRIBUTOR, name="ann")
KEY = a_key()
REVISION = Revision(a_job(CollectionId(1)).definition, None)


@pytest.fixture
def use_cases(database: Database) -> UseCases:
    return UseCases.of(database.store, ManualClock())


def create(
    database: Database,
    use_cases: UseCases,
    collection: Collection | None = None,
    *,
    who: Principal = WHO,
    name: str = "j",
) -> None:
    wanted = collection or a_collection()
    database.run(
        use_cases.jobs.create_job_and_collection(
            who, wanted.key, lambda _: wanted, name, lambda _: REVISION
        )
    )


def stored(database: Database) -> list[Collection]:
    return list(database.run(database.store.read(lambda view: view.collections(SUBSCRIPTION))))


def test_a_job_and_its_collection_are_stored_together(
    database: Database, use_cases: UseCases
) -> None:
    create(database, use_cases)

    (collection,) = stored(database)
    assert (collection.created_at, collection.changed_by) == (NOW, "ann")
    record = database.run(use_cases.jobs.get_record(WHO, KEY, "j"))
    assert record == JobRecord(NOW, NOW, "ann")


@pytest.mark.parametrize(
    ("collection", "name", "error"),
    [
        pytest.param(a_collection(), "1st", Invalid, id="a name that no job can have"),
        pytest.param(
            a_collection(quota=Quota(max_job_count=0)), "j", Conflict, id="no room for the job"
        ),
        pytest.param(a_collection("1st"), "j", Invalid, id="a name that no collection can have"),
    ],
)
def test_nothing_is_stored_if_one_of_them_is_refused(
    database: Database,
    use_cases: UseCases,
    collection: Collection,
    name: str,
    error: type[Exception],
) -> None:
    with pytest.raises(error):
        create(database, use_cases, collection, name=name)

    assert stored(database) == []


def test_a_collection_that_exists_is_not_changed(database: Database, use_cases: UseCases) -> None:
    create(database, use_cases)
    (before,) = stored(database)

    with pytest.raises(Conflict, match="'Billing' exists already"):
        create(database, use_cases, a_collection(sku=Sku.FREE), name="k")

    assert stored(database) == [before]


@pytest.mark.parametrize(
    ("who", "error"),
    [
        pytest.param(Principal(Role.READER), Forbidden, id="a Reader"),
        pytest.param(
            Principal(Role.OWNER, Scope(subscription="other")), CollectionNotFound, id="elsewhere"
        ),
    ],
)
def test_a_caller_without_the_right_creates_nothing(
    database: Database, use_cases: UseCases, who: Principal, error: type[Exception]
) -> None:
    with pytest.raises(error):
        create(database, use_cases, who=who)

    assert stored(database) == []
