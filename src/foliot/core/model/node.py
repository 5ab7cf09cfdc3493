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
    # The names of the secret keys it has loaded, with commas between them; it seals with the first.
    keys: str = ""


def is_alive(node: Node, now: Instant) -> bool:
    """Tell whether a node has sent a heartbeat lately."""
    return now - node.seen_at <= SILENCE_TICKS


def key_problem(keys: str, other: Node) -> str | None:
    """Return why a node with these keys and another one would not open each other's jobs."""
    if not other.keys:
        # A node of an older version does not tell its keys.
        return None
    ours, theirs = keys.split(","), other.keys.split(",")
    if ours[0] not in theirs:
        return (
            f"node {other.name} was not given the key {ours[0]}, which is the first one here."
            " First restart every node with the new key in the second place"
        )
    if theirs[0] not in ours:
        return (
            f"node {other.name} encrypts with the key {theirs[0]}, which was not given here."
            " Give it too, until no node uses it"
        )
    return None
