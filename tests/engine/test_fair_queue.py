import pytest
from msgspec.structs import replace

from foliot.core.ids import CollectionId
from foliot.core.instant import SECOND, Instant
from foliot.core.model.action import (
    Action,
    ActionKind,
    HttpRequest,
    QueueMessage,
    ServiceBusMessage,
)
from foliot.core.model.run import DueRun, Run
from foliot.engine.fair_queue import Lanes, destination_of
from tests.support.builders import DEFINITION, NOW, a_collection, a_job


def due(host: str, collection: int = 1) -> DueRun:
    of = replace(a_collection(), id=CollectionId(collection))
    part = HttpRequest(uri=f"http://{host}/path", method="GET")
    action = Action(kind=ActionKind.HTTP, part=part)
    job = a_job(of.id, definition=replace(DEFINITION, action=action))
    run = Run(job_id=job.id, generation=1, occurrence=1, expected_at=NOW, due_at=NOW, tag=host)
    return DueRun(run, job, of)


def taken(lanes: Lanes) -> list[str]:
    found: list[str] = []
    while (each := lanes.take(NOW)) is not None:
        found.append(each[1].run.tag)
    return found


def test_destinations_take_turns() -> None:
    lanes = Lanes(8)
    for host in ("a", "a", "a", "b", "c"):
        lanes.add(due(host))

    assert taken(lanes) == ["a", "b", "c", "a", "a"]
    assert (lanes.in_flight, lanes.waiting_count) == (5, 0)


def test_one_destination_may_use_idle_slots_but_not_the_last_ones() -> None:
    lanes = Lanes(8)
    for _ in range(20):
        lanes.add(due("dead"))

    assert taken(lanes) == ["dead"] * 6


def test_what_is_kept_back_serves_the_others_while_one_destination_hangs() -> None:
    lanes = Lanes(8)
    for _ in range(20):
        lanes.add(due("dead"))
    taken(lanes)

    lanes.add(due("alive"))
    first = lanes.take(NOW)
    lanes.add(due("alive"))
    lanes.add(due("another's", 2))

    assert first
    assert first[1].run.tag == "alive"
    assert taken(lanes) == ["another's"]


@pytest.mark.parametrize(("share", "expected"), [(1, 1), (None, 2)], ids=["given", "a quarter"])
def test_of_the_last_slots_a_host_takes_no_more_than_its_share(
    share: int | None, expected: int
) -> None:
    lanes = Lanes(16, share)
    for _ in range(20):
        lanes.add(due("dead", 1))
    taken(lanes)

    for _ in range(5):
        lanes.add(due("another", 2))

    assert taken(lanes) == ["another"] * expected


def test_a_slot_given_back_is_used_again() -> None:
    lanes = Lanes(4)
    runs = [due("a") for _ in range(9)]
    for each in runs:
        lanes.add(each)
    assert len(taken(lanes)) == 3

    lanes.release("http://a:80", CollectionId(1), NOW)

    assert len(taken(lanes)) == 1


def test_what_waits_can_be_put_back() -> None:
    lanes = Lanes(1)
    lanes.add(due("a"))
    lanes.add(due("b"))
    lanes.take(NOW)

    assert [each.run.tag for each in lanes.put_back()] == ["b"]
    assert (lanes.take(NOW), lanes.waiting_count) == (None, 0)


def test_a_destination_is_what_must_be_alive() -> None:
    queue = QueueMessage(storage_account="Account", queue_name="q", message="m")
    bus = ServiceBusMessage(entity="q", namespace="Bus", message="m")
    http = HttpRequest(uri="HTTPS://user:pw@Example.com:8443/path?query", method="GET")
    actions = [
        Action(kind=ActionKind.STORAGE_QUEUE, part=queue),
        Action(kind=ActionKind.SERVICE_BUS_QUEUE, part=bus),
        Action(kind=ActionKind.HTTPS, part=http),
    ]

    assert [destination_of(each) for each in actions] == [
        *("queue:account", "bus:bus", "https://example.com:8443")
    ]


def test_what_waits_where_nothing_moves_can_be_set_aside() -> None:
    lanes = Lanes(8)
    for _ in range(9):
        lanes.add(due("dead"))
    taken(lanes)

    assert lanes.set_aside(NOW) == []
    assert len(lanes.set_aside(Instant(NOW + 1))) == 3
    assert (lanes.waiting_count, lanes.in_flight) == (0, 6)


def test_what_waits_where_something_has_moved_is_not_set_aside() -> None:
    lanes = Lanes(8)
    for _ in range(9):
        lanes.add(due("slow"))
    taken(lanes)
    lanes.release("http://slow:80", CollectionId(1), Instant(NOW + 5))
    lanes.take(NOW)

    assert lanes.set_aside(Instant(NOW + 1)) == []
    assert len(lanes.set_aside(Instant(NOW + 6))) == 2


def test_what_may_go_is_not_set_aside() -> None:
    lanes = Lanes(8)
    lanes.add(due("a"))

    assert lanes.set_aside(NOW) == []


def test_the_collection_with_the_fewest_slots_goes_first() -> None:
    lanes = Lanes(32)
    for number in range(6):
        lanes.add(due(f"a{number}", 1))
    first = taken(lanes)
    for number in range(3):
        lanes.add(due(f"c{number}", 1))
        lanes.add(due(f"b{number}", 2))

    assert first == [f"a{number}" for number in range(6)]
    assert taken(lanes) == ["b0", "b1", "b2", "c0", "c1", "c2"]


def test_no_number_of_destinations_gives_a_collection_the_last_slots() -> None:
    lanes = Lanes(64)
    for number in range(600):
        lanes.add(due(f"dead{number}", 1))
    first = taken(lanes)
    for number in range(9):
        lanes.add(due(f"alive{number}", 2))

    assert len(first) == 64 - 8
    # A small part of what is kept: there may be a third one.
    assert taken(lanes) == ["alive0"]
    lanes.add(due("third", 3))
    assert taken(lanes) == ["third"]


def test_what_waits_where_no_run_of_its_collection_has_moved_can_be_set_aside() -> None:
    lanes = Lanes(64)
    for number in range(100):
        lanes.add(due(f"dead{number}", 1))
    taken(lanes)

    assert lanes.set_aside(NOW) == []
    assert len(lanes.set_aside(Instant(NOW + 1))) == 44
    assert (lanes.waiting_count, lanes.take(NOW)) == (0, None)


def test_a_full_destination_blocks_no_collection_from_others() -> None:
    lanes = Lanes(16)
    for number in range(40):
        lanes.add(due("gateway", number))
    assert taken(lanes) == ["gateway"] * 12
    assert lanes.take(NOW) is None

    lanes.add(due("other", 39))

    assert taken(lanes) == ["other"]


def test_all_that_was_taken_and_given_back_leaves_nothing_behind() -> None:
    lanes = Lanes(8)
    for number in range(50):
        lanes.add(due(f"h{number % 7}", number % 5))
    order: list[str] = []
    while (each := lanes.take(NOW)) is not None:
        order.append(each[1].run.tag)
        lanes.release(each[0], each[1].collection.id, NOW)

    assert len(order) == 50
    assert (lanes.in_flight, lanes.waiting_count, lanes.put_back()) == (0, 0, [])


@pytest.mark.parametrize("slots", [64, 128, 512])
def test_collections_that_hang_one_after_the_other_leave_slots_for_the_next(slots: int) -> None:
    lanes = Lanes(slots)
    for collection in range(1, 9):
        for number in range(slots):
            lanes.add(due(f"dead-{number}", collection))
        taken(lanes)

    lanes.add(due("alive", 9))

    assert taken(lanes) == ["alive"]


def test_there_is_room_for_each_free_slot_whatever_waits() -> None:
    lanes = Lanes(8)
    for _ in range(9):
        lanes.add(due("dead"))
    taken(lanes)

    # Two are kept for other destinations.
    assert (lanes.in_flight, lanes.waiting_count, lanes.room(NOW)) == (6, 3, 2)


def test_without_a_free_slot_there_is_room_for_what_begins_within_a_second() -> None:
    lanes = Lanes(2)
    for _ in range(8):
        lanes.add(due("a"))
    taken(lanes)
    assert (lanes.in_flight, lanes.waiting_count, lanes.room(NOW)) == (2, 6, 0)
    for _ in range(4):
        lanes.release("http://a:80", CollectionId(1), NOW)
        taken(lanes)

    # Four have begun within a second, and two wait.
    assert lanes.room(NOW) == 2
    assert lanes.room(Instant(NOW + SECOND)) == 2
    assert lanes.room(Instant(NOW + 2 * SECOND)) == 0


def test_nothing_goes_to_a_destination_that_is_held_until_a_second_has_passed() -> None:
    lanes = Lanes(8)
    lanes.add(due("held"))
    lanes.add(due("other"))
    lanes.hold("http://held:80", NOW)

    assert taken(lanes) == ["other"]
    assert lanes.take(Instant(NOW + SECOND)) is not None


def test_what_waits_for_a_destination_that_is_held_can_be_set_aside() -> None:
    lanes = Lanes(8)
    lanes.add(due("held"))
    lanes.add(due("other"))
    lanes.hold("http://held:80", NOW)

    assert [each.run.tag for each in lanes.set_aside(NOW)] == ["held"]
