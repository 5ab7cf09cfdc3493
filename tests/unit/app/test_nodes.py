from msgspec.structs import replace

from foliot.app.nodes import remove_node, save_heartbeat
from foliot.core.instant import DAY, SECOND, Instant
from foliot.core.model.node import Node
from tests.support.builders import NOW
from tests.unit.app.database import Database

NODE = Node(id="n", name="n", version="1", started_at=NOW, seen_at=NOW)


def ids(database: Database) -> list[str]:
    found = database.run(database.store.read(lambda reading: reading.nodes()))
    return [node.id for node in found]


def test_a_heartbeat_removes_nodes_that_were_silent_for_more_than_a_day(
    database: Database,
) -> None:
    for seconds in (1, 0):
        seen_at = Instant(NOW - DAY - seconds * SECOND)
        silent = replace(NODE, id=f"day+{seconds}", name=f"day+{seconds}", seen_at=seen_at)
        database.run(save_heartbeat(database.store, silent))

    database.run(save_heartbeat(database.store, NODE))

    assert ids(database) == ["day+0", "n"]


def test_a_node_that_stops_is_removed(database: Database) -> None:
    for node in (NODE, replace(NODE, id="other", name="other")):
        database.run(save_heartbeat(database.store, node))

    database.run(remove_node(database.store, "n"))

    assert ids(database) == ["other"]
