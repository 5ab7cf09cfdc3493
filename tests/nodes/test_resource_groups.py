"""Resource groups that several nodes change at the same time."""

import asyncio
from collections.abc import Awaitable

from msgspec.structs import replace

from foliot.app.use_cases import UseCases
from foliot.core.access import Principal
from foliot.core.errors import Conflict, GroupNotFound
from foliot.core.model.collection import Sku
from foliot.core.model.token import Role
from foliot.core.rules.resource_groups import MAX_GROUPS
from foliot.ports.store import Transaction
from foliot.store.postgres import PostgresStore
from tests.nodes.test_together import together
from tests.support.api_client import ManualClock
from tests.support.builders import SUBSCRIPTION, a_collection, a_group, a_key

OWNER = Principal(Role.OWNER)


def changes(node: UseCases, name: str, sku: Sku) -> list[Awaitable[object]]:
    """Return changes of one group: of itself, of a collection in it, and its end."""
    groups, collections = node.resource_groups, node.collections
    wanted = replace(a_collection(name), sku=sku)
    return [
        groups.save_group(OWNER, SUBSCRIPTION, "prod", lambda _: a_group(), must_exist=False),
        collections.save_collection(OWNER, a_key(name), lambda _: wanted, must_exist=False),
        groups.delete_group(OWNER, SUBSCRIPTION, "prod"),
    ]


def test_a_group_is_saved_filled_and_deleted_by_two_nodes(url: str) -> None:
    async def steps(one: PostgresStore, two: PostgresStore) -> list[object]:
        nodes = [UseCases.of(store, ManualClock()) for store in (one, two)]
        results: list[object] = []
        for number in range(20):
            sku = Sku.STANDARD if number % 2 else Sku.P10_PREMIUM
            calls = [call for node in nodes for call in changes(node, f"c{number % 3}", sku)]
            results += await asyncio.gather(*calls, return_exceptions=True)
        return results

    results = together(url, steps)

    assert isinstance(results, list)
    errors = {type(each) for each in results if isinstance(each, Exception)}
    assert errors <= {GroupNotFound, Conflict}


def test_the_limit_of_groups_holds_whoever_adds(url: str) -> None:
    def fill(to: Transaction) -> None:
        for number in range(MAX_GROUPS - 5):
            to.save_resource_group(a_group(f"g{number}"))

    async def steps(one: PostgresStore, two: PostgresStore) -> int:
        await one.write(fill)
        nodes = [UseCases.of(store, ManualClock()).resource_groups for store in (one, two)]
        calls = (
            node.save_group(
                OWNER,
                SUBSCRIPTION,
                f"n{number}",
                lambda _, n=number: a_group(f"n{n}"),
                must_exist=False,
            )
            for number in range(10)
            for node in [nodes[number % 2]]
        )
        await asyncio.gather(*calls, return_exceptions=True)
        return await two.read(lambda reading: reading.count_resource_groups(SUBSCRIPTION))

    assert together(url, steps) == MAX_GROUPS
