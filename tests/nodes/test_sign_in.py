"""Nodes that start at the same moment, with the same token in their environments."""

import asyncio

from foliot.app.tokens import add_admin_token
from foliot.core.secret import Secret
from foliot.store.sealing.keyring import Keyring
from tests.support import postgres
from tests.support.builders import NOW


def test_nodes_that_add_the_same_token_at_once_all_start(url: str) -> None:
    async def steps() -> int:
        stores = [postgres.open_store(url, Keyring([bytes(32)])) for _ in range(3)]
        for number in range(10):
            token = Secret(f"{number}" * 40)
            await asyncio.gather(*(add_admin_token(store, token, NOW) for store in stores))
        tokens = await stores[0].read(lambda view: view.tokens())
        for store in stores:
            await store.close()
        return len(tokens)

    assert asyncio.run(steps()) == 10
