"""Nodes: the processes that share one schedule."""

from msgspec import Struct

from foliot.core.instant import SECOND, Instant

# Three heartbeats: whoever has missed them is taken for dead.
SILENCE_TICKS = 15 * SECOND


class Node(Struct, frozen=True, kw_only=True):
    """A process as it was when it was last heard of, by the clock that all nodes share."""

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
    """Tell whether a node was heard of lately."""
    return now - node.seen_at <= SILENCE_TICKS
