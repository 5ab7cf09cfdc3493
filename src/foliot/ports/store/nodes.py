"""The processes that share one database."""

from collections.abc import Sequence
from typing import Protocol

from foliot.core.instant import Instant
from foliot.core.model.node import Node


class NodeReading(Protocol):
    """Finds nodes."""

    def nodes(self) -> Sequence[Node]:
        """Return the nodes that sent heartbeats, by name."""
        ...


class NodeChanges(Protocol):
    """Stores heartbeats of nodes."""

    def save_node(self, node: Node) -> None:
        """Store the heartbeat of a node, and how much work it has."""
        ...

    def delete_node(self, node_id: str) -> None:
        """Remove a node that has stopped."""
        ...

    def delete_silent_nodes(self, before: Instant) -> None:
        """Remove nodes whose last heartbeat was before an instant."""
        ...
