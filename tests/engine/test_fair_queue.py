"""The order in which waiting runs get slots."""

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
from foliot.engine.fair_queue import FairQueue, destination_of
from tests.support.builders import DEFINITION, NOW, a_collection, a_job


def due(host: str, collection: int = 1) -> DueRun:
    of = replace(a_collection(), id=CollectionId(collection))
    part = HttpRequest(uri=f"http://{host}/path", method="GET")
    action = Action(kind=ActionKind.HTTP, part=part)
    job = a_job(of.id, definition=replace(DEFINITION, action=action))
    run = Run(job_id=job.id, generation=1, occurrence=1, expected_at=NOW, due_at=NOW, tag=host)
    return DueRun(run, job, of)


def taken(queue: FairQueue) -> list[str]:
    found: list[str] = []
    while (each := queue.take(NOW)) is not None:
        found.append(each[1].run.tag)
    return found


def test_destinations_take_turns() -> None:
    queue = FairQueue(8)
    for host in ("a", "a", "a", "b", "c"):
        queue.add(due(host))

    assert taken(queue) == ["a", "b", "c", "a", "a"]
    assert (queue.in_flight, queue.waiting_count) == (5, 0)


def test_one_destination_may_use_idle_slots_but_not_reserved_ones() -> None:
    queue = FairQueue(8)
    for _ in range(20):
        queue.add(due("dead"))

    assert taken(queue) == ["dead"] * 6


def test_reserved_slots_serve_others_while_one_destination_hangs() -> None:
    queue = FairQueue(8)
    for _ in range(20):
        queue.add(due("dead"))
    taken(queue)

    queue.add(due("alive"))
    first = queue.take(NOW)
    queue.add(due("alive"))
    queue.add(due("another's", 2))

    assert first
    assert first[1].run.tag == "alive"
    assert taken(queue) == ["another's"]


@pytest.mark.parametrize(("share", "expected"), [(1, 1), (None, 2)], ids=["given", "a quarter"])
def test_of_the_last_slots_a_host_takes_no_more_than_its_share(
    share: int | None, expected: int
) -> None:
    queue = FairQueue(16, share)
    for _ in range(20):
        queue.add(due("dead", 1))
    taken(queue)

    for _ in range(5):
        queue.add(due("another", 2))

    assert taken(queue) == ["another"] * expected


def test_a_released_slot_is_used_again() -> None:
    queue = FairQueue(4)
    runs = [due("a") for _ in range(9)]
    for each in runs:
        queue.add(each)
    assert len(taken(queue)) == 3

    queue.release("http://a:80", CollectionId(1), NOW)

    assert len(taken(queue)) == 1


def test_all_waiting_runs_can_be_taken_out() -> None:
    queue = FairQueue(1)
    queue.add(due("a"))
    queue.add(due("b"))
    queue.take(NOW)

    assert [each.run.tag for each in queue.take_all()] == ["b"]
    assert (queue.take(NOW), queue.waiting_count) == (None, 0)


def test_a_destination_is_a_server_an_account_or_a_namespace() -> None:
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


def test_runs_for_a_destination_without_progress_are_stuck() -> None:
    queue = FairQueue(8)
    for _ in range(9):
        queue.add(due("dead"))
    taken(queue)

    assert queue.take_stuck(NOW) == []
    assert len(queue.take_stuck(Instant(NOW + 1))) == 3
    assert (queue.waiting_count, queue.in_flight) == (0, 6)


def test_runs_for_a_destination_with_progress_are_not_stuck() -> None:
    queue = FairQueue(8)
    for _ in range(9):
        queue.add(due("slow"))
    taken(queue)
    queue.release("http://slow:80", CollectionId(1), Instant(NOW + 5))
    queue.take(NOW)

    assert queue.take_stuck(Instant(NOW + 1)) == []
    assert len(queue.take_stuck(Instant(NOW + 6))) == 2


def test_a_run_that_may_go_is_not_stuck() -> None:
    queue = FairQueue(8)
    queue.add(due("a"))

    assert queue.take_stuck(NOW) == []


def test_the_collection_with_the_fewest_slots_goes_first() -> None:
    queue = FairQueue(32)
    for number in range(6):
        queue.add(due(f"a{number}", 1))
    first = taken(queue)
    for number in range(3):
        queue.add(due(f"c{number}", 1))
        queue.add(due(f"b{number}", 2))

    assert first == [f"a{number}" for number in range(6)]
    assert taken(queue) == ["b0", "b1", "b2", "c0", "c1", "c2"]


def test_a_collection_with_many_destinations_does_not_get_the_last_slots() -> None:
    queue = FairQueue(64)
    for number in range(600):
        queue.add(due(f"dead{number}", 1))
    first = taken(queue)
    for number in range(9):
        queue.add(due(f"alive{number}", 2))

    assert len(first) == 64 - 8
    # A small part of what is kept: there may be a third one.
    assert taken(queue) == ["alive0"]
    queue.add(due("third", 3))
    assert taken(queue) == ["third"]


def test_runs_of_a_collection_without_progress_are_stuck() -> None:
    queue = FairQueue(64)
    for number in range(100):
        queue.add(due(f"dead{number}", 1))
    taken(queue)

    assert queue.take_stuck(NOW) == []
    assert len(queue.take_stuck(Instant(NOW + 1))) == 44
    assert (queue.waiting_count, queue.take(NOW)) == (0, None)


def test_a_full_destination_does_not_block_other_destinations() -> None:
    queue = FairQueue(16)
    for number in range(40):
        queue.add(due("gateway", number))
    assert taken(queue) == ["gateway"] * 12
    assert queue.take(NOW) is None

    queue.add(due("other", 39))

    assert taken(queue) == ["other"]


def test_a_queue_whose_runs_have_ended_is_empty() -> None:
    queue = FairQueue(8)
    for number in range(50):
        queue.add(due(f"h{number % 7}", number % 5))
    order: list[str] = []
    while (each := queue.take(NOW)) is not None:
        order.append(each[1].run.tag)
        queue.release(each[0], each[1].collection.id, NOW)

    assert len(order) == 50
    assert (queue.in_flight, queue.waiting_count, queue.take_all()) == (0, 0, [])


@pytest.mark.parametrize("slots", [64, 128, 512])
def test_several_hanging_collections_leave_slots_for_the_next(slots: int) -> None:
    queue = FairQueue(slots)
    for collection in range(1, 9):
        for number in range(slots):
            queue.add(due(f"dead-{number}", collection))
        taken(queue)

    queue.add(due("alive", 9))

    assert taken(queue) == ["alive"]


def test_there_is_room_for_each_free_slot_however_many_runs_wait() -> None:
    queue = FairQueue(8)
    for _ in range(9):
        queue.add(due("dead"))
    taken(queue)

    # Two are kept for other destinations.
    assert (queue.in_flight, queue.waiting_count, queue.room(NOW)) == (6, 3, 2)


def test_without_a_free_slot_there_is_room_for_runs_that_begin_within_a_second() -> None:
    queue = FairQueue(2)
    for _ in range(8):
        queue.add(due("a"))
    taken(queue)
    assert (queue.in_flight, queue.waiting_count, queue.room(NOW)) == (2, 6, 0)
    for _ in range(4):
        queue.release("http://a:80", CollectionId(1), NOW)
        taken(queue)

    # Four have begun within a second, and two wait.
    assert queue.room(NOW) == 2
    assert queue.room(Instant(NOW + SECOND)) == 2
    assert queue.room(Instant(NOW + 2 * SECOND)) == 0


def test_a_paused_destination_gets_no_run_for_a_second() -> None:
    queue = FairQueue(8)
    queue.add(due("held"))
    queue.add(due("other"))
    queue.pause("http://held:80", NOW)

    assert taken(queue) == ["other"]
    assert queue.take(Instant(NOW + SECOND)) is not None


def test_runs_for_a_paused_destination_are_stuck() -> None:
    queue = FairQueue(8)
    queue.add(due("held"))
    queue.add(due("other"))
    queue.pause("http://held:80", NOW)

    assert [each.run.tag for each in queue.take_stuck(NOW)] == ["held"]
