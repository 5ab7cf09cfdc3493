"""Nodes: their heartbeats, and the list of them."""

from collections.abc import Sequence

from foliot.core.access import Principal, require, require_everything
from foliot.core.instant import DAY, Instant
from foliot.core.model.node import Node
from foliot.core.model.token import Role
from foliot.ports.clock import Clock
from foliot.ports.store import Store, Transaction

_FORGOTTEN_AFTER = DAY


class Nodes:
    """What a caller can do with nodes: list them."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def list_nodes(self, who: Principal) -> tuple[Instant, Sequence[Node]]:
        """Return the time by the clock that all nodes share, and the nodes."""
        require_everything(who)
        require(who, Role.OWNER)
        return self._clock.now(), await self._store.read(lambda reading: reading.nodes())


async def check_takes_changes(store: Store) -> None:
    """Refuse if a store takes no changes, by one that writes nothing."""
    await store.write(lambda _: None)


async def save_heartbeat(store: Store, node: Node) -> None:
    """Store that a node is alive, and forget nodes that have been silent for a day."""

    def change(transaction: Transaction) -> None:
        transaction.save_node(node)
        transaction.delete_silent_nodes(Instant(node.seen_at - _FORGOTTEN_AFTER))

    await store.write(change)


async def remove_node(store: Store, node_id: str) -> None:
    """Remove a node that stops."""
    await store.write(lambda transaction: transaction.delete_node(node_id))
