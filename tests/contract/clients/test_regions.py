"""PowerShell takes a region only if the provider lists it, to the letter."""

from tests.contract.clients import powershell
from tests.support.api_client import COLLECTIONS, SUBSCRIPTION, Client, a_collection

# As the provider of the old service listed them in 2017: Azure/azure-powershell,
# src/ResourceManager/Scheduler/Commands.Scheduler.Test/SessionRecords.
REGIONS = (
    *("North Central US", "South Central US", "North Europe", "West Europe", "East Asia"),
    *("Southeast Asia", "West US", "East US", "Japan West", "Japan East", "Brazil South"),
    *("Central US", "East US 2", "Australia East", "Australia Southeast", "Canada Central"),
    *("Canada East", "West US 2", "West Central US", "UK South", "UK West", "Korea Central"),
    "Korea South",
)


def test_all_regions_of_the_old_service_can_be_chosen_and_come_back(client: Client) -> None:
    provider = client.get(f"{SUBSCRIPTION}/providers/Microsoft.Scheduler").json

    created = [
        client.put(f"{COLLECTIONS}/C{number}", a_collection() | {"location": region})
        for number, region in enumerate(REGIONS)
    ]

    assert set(REGIONS) <= set(powershell.regions(provider))
    assert tuple(reply.json["location"] for reply in created) == REGIONS
