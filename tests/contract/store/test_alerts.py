from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.errors import Conflict
from foliot.core.instant import DAY, SECOND, Instant
from foliot.core.model.action import Duration
from foliot.core.model.alert import (
    Alert,
    AlertConditions,
    AlertDefinition,
    EmailDestination,
    QuietHours,
    SlackDestination,
    WebhookDestination,
)
from foliot.core.secret import Secret
from foliot.ports.store import Transaction
from tests.support.alerts import ALERT_DEFINITION, WEBHOOK, an_alert
from tests.support.builders import NOW, SUBSCRIPTION, a_collection
from tests.support.store_harness import Open, written

FULL = AlertDefinition(
    conditions=AlertConditions(
        failed_in_a_row=3,
        late_by=Duration("PT5M", 300 * SECOND),
        no_success_intervals=2,
        paused=True,
        expiring_within=Duration("P14D", 14 * DAY),
    ),
    destinations=(
        WEBHOOK,
        WebhookDestination(uri="https://plain.example.com/"),
        SlackDestination(uri=Secret("https://hooks.example.com/T1/B2/x")),
        EmailDestination(to=("ops@example.com", "\u00fc@example.com")),
    ),
    tags={"team": "billing"},
    quiet_hours=QuietHours(begin=22 * 60, end=6 * 60, time_zone="Europe/Prague"),
    description="Whoever is on call",
)


def stored_alert(to: Transaction, name: str = "On call", collection: str = "Billing") -> Alert:
    found = to.collection(a_collection(collection).key)
    owner = found or to.add_collection(a_collection(collection))
    return to.add_alert(an_alert(owner.id, name, changed_by="ops"))


@pytest.mark.parametrize("definition", [ALERT_DEFINITION, FULL], ids=["short", "full"])
def test_an_alert_comes_back_as_it_was_stored(store: Open, definition: AlertDefinition) -> None:
    added = written(store, stored_alert)
    changed = replace(
        added,
        definition=definition,
        is_enabled=False,
        changed_at=Instant(NOW + 5),
        changed_by=None,
    )

    written(store, lambda to: to.save_alert(changed))

    assert added.id > 0
    assert written(store, lambda to: to.alert(added.collection_id, "oN CALL")) == changed
    assert written(store, lambda to: to.alerts(added.collection_id)) == [changed]


def test_a_name_of_an_alert_is_taken_once_in_a_collection(store: Open) -> None:
    added = written(store, stored_alert)
    other = written(store, lambda to: stored_alert(to, collection="Other"))

    with pytest.raises(Conflict, match="Alert 'ON CALL' exists already"):
        written(store, lambda to: stored_alert(to, "ON CALL"))
    assert other.id != added.id
    assert written(store, lambda to: to.alert(other.collection_id, "none")) is None


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param({}, ["a", "B", "c"], id="all, by name"),
        pytest.param({"limit": 2}, ["a", "B"], id="limit"),
        pytest.param({"skip": 1, "limit": 1}, ["B"], id="skip and limit"),
        pytest.param({"after": "A"}, ["B", "c"], id="after"),
    ],
)
def test_alerts_of_a_collection_are_listed(
    store: Open, page: dict[str, Any], expected: list[str]
) -> None:
    def add(to: Transaction) -> Alert:
        stored_alert(to, "z", collection="Other")
        for name in ("c", "a"):
            stored_alert(to, name)
        return stored_alert(to, "B")

    owner = written(store, add).collection_id

    listed = written(store, lambda to: to.alerts(owner, **page))

    assert [each.name for each in listed] == expected
    assert written(store, lambda to: to.alert_names(owner)) == ["a", "B", "c"]


def test_a_deleted_alert_is_gone_and_its_name_is_free(store: Open) -> None:
    added = written(store, stored_alert)

    written(store, lambda to: to.delete_alert(added.id))

    assert written(store, lambda to: to.alert(added.collection_id, "On call")) is None
    assert written(store, stored_alert).id > added.id


@pytest.mark.parametrize("whole", ["collection", "group"])
def test_alerts_go_with_their_collection(store: Open, whole: str) -> None:
    alert = written(store, stored_alert)

    def delete(to: Transaction) -> None:
        if whole == "group":
            to.delete_collections(SUBSCRIPTION, "Prod")
        else:
            to.delete_collection(alert.collection_id)

    written(store, delete)

    assert written(store, lambda to: to.alerts(alert.collection_id)) == []
