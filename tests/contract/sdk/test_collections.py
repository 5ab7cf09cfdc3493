"""Azure's client and collections."""

import pytest
from azure.core.exceptions import ResourceNotFoundError
from azure.mgmt.scheduler.models import (
    JobCollectionDefinition,
    JobCollectionProperties,
    JobCollectionQuota,
    JobMaxRecurrence,
)

from tests.contract.sdk.clients import Azure
from tests.contract.sdk.models import GROUP, a_collection, a_job

QUOTA = JobCollectionQuota(
    max_job_count=7,
    max_job_occurrence=300,
    max_recurrence=JobMaxRecurrence(frequency="Hour", interval=2),
)


def test_a_collection_comes_back_as_it_was_created(azure: Azure, subscription: str) -> None:
    wanted = a_collection("P10Premium", state="Suspended", quota=QUOTA)
    wanted.tags = {"cost centre": "4711"}

    created = azure.job_collections.create_or_update(GROUP, "ledger", wanted)

    assert created.as_dict() == {
        "id": f"/subscriptions/{subscription}/resourceGroups/finance"
        "/providers/Microsoft.Scheduler/jobCollections/ledger",
        "type": "Microsoft.Scheduler/jobCollections",
        "name": "ledger",
        "location": "West Europe",
        "tags": {"cost centre": "4711"},
        "properties": {
            "sku": {"name": "P10Premium"},
            "state": "Suspended",
            "quota": {
                "max_job_count": 7,
                "max_job_occurrence": 300,
                "max_recurrence": {"frequency": "hour", "interval": 2},
            },
        },
    }
    assert azure.job_collections.get(GROUP, "ledger") == created


def test_a_collection_that_was_read_can_be_sent_back(azure: Azure) -> None:
    azure.job_collections.create_or_update(GROUP, "ledger", a_collection(quota=QUOTA))
    read = azure.job_collections.get(GROUP, "ledger")

    assert azure.job_collections.create_or_update(GROUP, "ledger", read) == read


def test_an_update_replaces_all_of_a_collection(azure: Azure) -> None:
    azure.job_collections.create_or_update(
        GROUP, "ledger", a_collection(state="Disabled", quota=QUOTA)
    )

    updated = azure.job_collections.create_or_update(GROUP, "ledger", a_collection("P20Premium"))

    assert updated.properties.as_dict() == {"sku": {"name": "P20Premium"}, "state": "Enabled"}


def test_a_patch_keeps_what_it_leaves_out(azure: Azure) -> None:
    azure.job_collections.create_or_update(GROUP, "ledger", a_collection(quota=QUOTA))
    patch = JobCollectionDefinition(
        tags={"stage": "test"}, properties=JobCollectionProperties(state="Disabled")
    )

    patched = azure.job_collections.patch(GROUP, "ledger", patch)

    assert patched.location == "West Europe"
    assert patched.tags == {"stage": "test"}
    assert patched.properties.state == "Disabled"
    assert patched.properties.quota.max_job_count == 7
    assert azure.job_collections.get(GROUP, "ledger") == patched


@pytest.mark.parametrize("sku", ["Free", "Standard", "P10Premium", "P20Premium"])
def test_every_plan_is_taken_and_given_back(azure: Azure, sku: str) -> None:
    created = azure.job_collections.create_or_update(GROUP, "ledger", a_collection(sku))

    assert created.properties.as_dict() == {"sku": {"name": sku}, "state": "Enabled"}


def test_a_collection_is_disabled_and_enabled(ledger: Azure) -> None:
    assert ledger.job_collections.begin_disable(GROUP, "ledger") is None
    assert ledger.job_collections.get(GROUP, "ledger").properties.state == "Disabled"

    assert ledger.job_collections.begin_enable(GROUP, "ledger") is None
    assert ledger.job_collections.get(GROUP, "ledger").properties.state == "Enabled"


def test_collections_are_listed_by_subscription_and_by_group(azure: Azure) -> None:
    for group, name in (("finance", "ledger"), ("finance", "audit"), ("sales", "leads")):
        azure.job_collections.create_or_update(group, name, a_collection())

    everywhere = azure.job_collections.list_by_subscription()
    in_finance = azure.job_collections.list_by_resource_group("finance")
    nowhere = azure.job_collections.list_by_resource_group("legal")

    assert [each.name for each in everywhere] == ["audit", "ledger", "leads"]
    assert [each.name for each in in_finance] == ["audit", "ledger"]
    assert nowhere == []


def test_a_deleted_collection_is_gone_with_its_jobs(ledger: Azure) -> None:
    ledger.jobs.create_or_update(GROUP, "ledger", "close-month", a_job())

    assert ledger.job_collections.begin_delete(GROUP, "ledger") is None

    with pytest.raises(ResourceNotFoundError):
        ledger.job_collections.get(GROUP, "ledger")
    ledger.job_collections.create_or_update(GROUP, "ledger", a_collection())
    assert ledger.jobs.list(GROUP, "ledger") == []


def test_names_are_found_in_any_letter_case(ledger: Azure) -> None:
    found = ledger.job_collections.get("FINANCE", "Ledger")

    assert found == ledger.job_collections.get(GROUP, "ledger")
