"""Nodes as JSON: Foliot's own, since the old service had none to show."""

from collections.abc import Sequence

from foliot.api.wire.json_reader import Json
from foliot.core.instant import Instant, format_instant
from foliot.core.model.node import Node, is_alive


def encode_nodes(now: Instant, nodes: Sequence[Node]) -> dict[str, Json]:
    """Return the nodes, and which of them are alive."""
    return {"value": [_encode(node, now) for node in nodes]}


def _encode(node: Node, now: Instant) -> dict[str, Json]:
    return {
        "id": node.id,
        "name": node.name,
        "version": node.version,
        "startTime": format_instant(node.started_at),
        "heartbeatTime": format_instant(node.seen_at),
        "isAlive": is_alive(node, now),
        "hasApi": node.has_api,
        "hasEngine": node.has_engine,
        "attemptsInFlight": node.in_flight,
        "attemptsWaiting": node.waiting,
    }
