"""Nodes: the port's readings and changes, as named statements."""

from collections.abc import Sequence

from msgspec.structs import asdict

from foliot.core.instant import Instant
from foliot.core.model.node import Node
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.rows import node_of


class SqlNodeReading(SqlAccess):
    """Satisfies `ports.store.nodes.NodeReading`."""

    def nodes(self) -> Sequence[Node]:
        """Return the nodes that sent heartbeats, by name."""
        return [node_of(row) for row in self._run("nodes")]


class SqlNodeChanges(SqlAccess):
    """Satisfies `ports.store.nodes.NodeChanges`."""

    def save_node(self, node: Node) -> None:
        """Store the heartbeat of a node, and how much work it has."""
        self._change("save_node", asdict(node))

    def delete_node(self, node_id: str) -> None:
        """Remove a node that has stopped."""
        self._change("delete_node", {"id": node_id})

    def delete_silent_nodes(self, before: Instant) -> None:
        """Remove nodes whose last heartbeat was before an instant."""
        self._change("delete_silent_nodes", {"before": before})
