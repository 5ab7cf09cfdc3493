"""Nodes: the servers that share one store."""

from msgspec import Struct

from foliot.core.instant import SECOND, Instant

# Three heartbeats: a node that has missed them counts as dead.
SILENCE_TICKS = 15 * SECOND


class Node(Struct, frozen=True, kw_only=True):
    """A server as of its last heartbeat, by the clock that all nodes share."""

    id: str
    name: str
    version: str
    started_at: Instant
    seen_at: Instant
    has_api: bool = True
    has_engine: bool = True
    in_flight: int = 0
    waiting: int = 0


def is_alive(node: Node, now: Instant) -> bool:
    """Tell whether a node has sent a heartbeat lately."""
    return now - node.seen_at <= SILENCE_TICKS
