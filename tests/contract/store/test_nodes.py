"""Who works on a store."""

from msgspec.structs import replace

from foliot.core.instant import SECOND, Instant
from foliot.core.model.node import Node
from foliot.ports.store import Transaction
from tests.support.builders import NOW
from tests.support.store_harness import Open, run, written

NODE = Node(
    id="n1", name="b", version="1", started_at=NOW, seen_at=NOW, has_engine=False, in_flight=2
)


def nodes(store: Open) -> list[Node]:
    return list(run(store, lambda it: it.read(lambda view: view.nodes())))


def test_nodes_come_back_by_name(store: Open) -> None:
    other = replace(NODE, id="n2", name="a", has_engine=True, has_api=False, waiting=3)

    written(store, lambda to: (to.save_node(NODE), to.save_node(other)))

    assert nodes(store) == [other, NODE]


def test_a_node_that_is_heard_of_again_is_the_same_one(store: Open) -> None:
    written(store, lambda to: to.save_node(NODE))
    later = replace(
        NODE, seen_at=Instant(NOW + 5), in_flight=0, waiting=1, version="2", keys="ab,cd"
    )

    written(store, lambda to: to.save_node(later))

    assert nodes(store) == [later]


def test_a_node_that_leaves_or_was_silent_for_long_is_forgotten(store: Open) -> None:
    def change(to: Transaction) -> None:
        for number in range(3):
            seen_at = Instant(NOW + number * SECOND)
            to.save_node(replace(NODE, id=f"n{number}", seen_at=seen_at))
        to.delete_node("n2")
        to.delete_silent_nodes(Instant(NOW + SECOND))

    written(store, change)

    assert [node.id for node in nodes(store)] == ["n1"]
