"""Nodes as JSON: Foliot's own, since the old service had none to show."""

from collections.abc import Sequence

from foliot.api.wire.clients import ANY_CLIENT
from foliot.api.wire.field_types import ANSWERED_INTEGER, BOOLEAN, INSTANT, TEXT
from foliot.api.wire.fields import WireField, WireObject
from foliot.core.instant import Instant
from foliot.core.json_text import Json
from foliot.core.model.node import Node, is_alive

NODE = WireObject(
    Node,
    WireField("id", "id", TEXT, required=True),
    WireField("name", "name", TEXT, required=True),
    WireField("version", "version", TEXT, required=True),
    WireField("startTime", "started_at", INSTANT, required=True),
    WireField("heartbeatTime", "seen_at", INSTANT, required=True),
    WireField("isAlive", "", BOOLEAN, required=True),
    WireField("hasApi", "has_api", BOOLEAN, required=True),
    WireField("hasEngine", "has_engine", BOOLEAN, required=True),
    WireField("attemptsInFlight", "in_flight", ANSWERED_INTEGER, required=True),
    WireField("secretKeys", "keys", TEXT, required=True),
    WireField("attemptsWaiting", "waiting", ANSWERED_INTEGER, required=True),
)


def encode_nodes(now: Instant, nodes: Sequence[Node]) -> dict[str, Json]:
    """Return the nodes, and which of them are alive."""
    return {"value": [_encode(node, now) for node in nodes]}


def _encode(node: Node, now: Instant) -> dict[str, Json]:
    return NODE.encode(node, ANY_CLIENT, isAlive=is_alive(node, now))
