"""How the messages of alerts are sent: destinations that hang, and destinations that change."""

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.ids import CollectionKey
from foliot.core.instant import MINUTE, SECOND, Instant
from foliot.core.model.alert import Alert, AlertDestination, EmailDestination, WebhookDestination
from foliot.core.model.collection import Collection
from foliot.core.model.notification import NotificationState
from foliot.core.rules.alert_destinations import number_destinations
from foliot.core.rules.alerts.fair_sending import (
    EMAILS_AT_A_TIME,
    MESSAGES_OF_A_COLLECTION,
    MESSAGES_OF_A_NODE,
    MESSAGES_TO_A_HOST,
)
from foliot.engine.alerts.deliveries import Deliveries, OutboxPace
from foliot.ports.store import Transaction
from tests.support.alert_world import NO_RETRY_ACTION, SECOND_WEBHOOK, AlertWorld
from tests.support.alerts import WEBHOOK, a_notification, an_alert, an_incident
from tests.support.builders import a_collection, a_job

MINUTELY = {"frequency": "minute"}
HANGING = "hangs.example.com"
HEALTHY = "alerts.example.com"
EMAIL = EmailDestination(to=("ops@example.com",))


@pytest.fixture
def world(tmp_path: Path) -> Iterator[AlertWorld]:
    with AlertWorld(tmp_path) as made:
        yield made


def webhook(host: str) -> WebhookDestination:
    return WebhookDestination(uri=f"https://{host}/in")


def hang(world: AlertWorld, *hosts: str) -> None:
    world.inboxes.hanging |= {each: asyncio.Event() for each in hosts}


def add_messages(
    world: AlertWorld,
    alert: str,
    destinations: Iterable[AlertDestination],
    count: int,
    collection: str = "c",
) -> Alert:
    """Queue messages to each destination of a new alert, each about a job of its own."""
    key, definition = CollectionKey("s", "g", collection), an_alert_definition(destinations)

    def add(to: Transaction) -> Alert:
        owner: Collection = to.collection(key) or to.add_collection(a_collection(key=key))
        added = to.add_alert(an_alert(owner.id, alert, definition=definition))
        for index in range(count):
            job = to.add_job(a_job(owner.id, f"{alert}-{index}"))
            incident = to.open_incident(an_incident(added, job))
            assert incident is not None
            due_at = Instant(world.clock.now() - SECOND)
            to.add_notifications(
                a_notification(
                    incident, f"{alert}-{index}-{number}", destination=number, due_at=due_at
                )
                for number in range(len(definition.destinations))
            )
        return added

    return world.change(add)


def an_alert_definition(destinations: Iterable[AlertDestination]) -> Any:
    return replace(an_alert(0).definition, destinations=tuple(destinations))


async def start_all(world: AlertWorld) -> None:
    """Begin whatever has a slot, and let each message that can end do so."""
    while await world.deliveries.step():
        await settle(world)


async def settle(world: AlertWorld) -> None:
    """Let the messages end that do not hang: each needs some writes of a real store."""
    hanging = len(world.inboxes.waiting)
    while world.deliveries.in_flight > hanging:
        await asyncio.sleep(0)
        hanging = len(world.inboxes.waiting)


def test_a_message_to_a_healthy_destination_does_not_wait_for_1200_that_hang(
    world: AlertWorld,
) -> None:
    hang(world, HANGING)
    add_messages(world, "dead", [webhook(HANGING)], 1200)
    add_messages(world, "fresh", [webhook(HEALTHY)], 1)
    sent_at = world.clock.now()

    world.run(start_all(world))

    assert [(each.id, each.at) for each in world.inboxes.received] == [("fresh-0-0", sent_at)]
    assert len(world.inboxes.waiting) == MESSAGES_TO_A_HOST


def test_alerts_with_many_dead_hosts_leave_slots_to_other_collections(world: AlertWorld) -> None:
    for number in range(12):
        hosts = [f"dead-{number}-{each}.example.com" for each in range(10)]
        hang(world, *hosts)
        add_messages(world, f"dead-{number}", map(webhook, hosts), 10)
    add_messages(world, "fresh", [webhook(HEALTHY)], 1, collection="other")

    world.run(start_all(world))

    assert [each.id for each in world.inboxes.received] == ["fresh-0-0"]
    assert len(world.inboxes.waiting) == MESSAGES_OF_A_COLLECTION < MESSAGES_OF_A_NODE


def test_the_next_free_slot_goes_to_the_alert_that_has_none(world: AlertWorld) -> None:
    hosts = [f"dead-{each}.example.com" for each in range(10)]
    hang(world, *hosts)
    add_messages(world, "dead", map(webhook, hosts), 50)
    world.run(start_all(world))
    add_messages(world, "fresh", [webhook(HEALTHY)], 1)
    world.run(start_all(world))
    assert world.inboxes.received == []

    world.run(world.inboxes.release(hosts[0]))
    world.run(settle(world))
    world.run(start_all(world))

    assert world.inboxes.received[0].id == "fresh-0-0"


def test_a_mail_server_that_hangs_keeps_no_webhook_waiting(world: AlertWorld) -> None:
    hang(world, "e-mail")
    add_messages(world, "mail", [EMAIL], 1200)
    add_messages(world, "both", [EMAIL, webhook(HEALTHY)], 5)

    world.run(start_all(world))

    assert {each.id for each in world.inboxes.received} == {f"both-{n}-1" for n in range(5)}
    assert len(world.inboxes.waiting) == EMAILS_AT_A_TIME


def test_what_hangs_is_sent_when_its_destination_answers(world: AlertWorld) -> None:
    hang(world, HANGING)
    alert = add_messages(world, "dead", [webhook(HANGING)], 30)
    world.run(start_all(world))

    world.run(world.inboxes.release(HANGING))
    world.run(settle(world))
    world.run(start_all(world))
    world.clock.at = Instant(world.clock.at + MINUTE)
    world.tell()

    states = {each.state for each in world.notifications(alert.id)}
    assert states == {NotificationState.SENT}
    assert len({each.id for each in world.inboxes.received}) == 30


def test_a_slot_that_becomes_free_is_used_at_once(world: AlertWorld) -> None:
    hang(world, HANGING)
    add_messages(world, "dead", [webhook(HANGING)], MESSAGES_TO_A_HOST + 1)
    inboxes, pace = world.inboxes, OutboxPace(poll_seconds=3600)
    deliveries = Deliveries(world.store, world.clock, inboxes, pace=pace)

    async def run() -> None:
        running = asyncio.create_task(deliveries.run())
        await inboxes.until(lambda: len(inboxes.waiting) == MESSAGES_TO_A_HOST)
        await inboxes.release(HANGING)
        await inboxes.until(lambda: bool(inboxes.received))
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    world.run(asyncio.wait_for(run(), 60))

    assert deliveries.in_flight == 0


def failing_world(world: AlertWorld, *destinations: AlertDestination) -> Alert:
    """Have a message wait for each destination."""
    alert = world.add_alert(failed_in_a_row=1, destinations=destinations)
    world.inboxes.error = "down"
    world.fail()
    world.add_job(recurrence=MINUTELY, action=NO_RETRY_ACTION)
    world.pass_minutes(1)
    return alert


def change_destinations(world: AlertWorld, alert: Alert, *destinations: AlertDestination) -> Alert:
    wanted = replace(alert.definition, destinations=destinations)
    definition = number_destinations(wanted, alert.definition)
    changed = replace(alert, definition=definition, changed_at=world.clock.now())
    world.change(lambda to: to.save_alert(changed))
    return changed


def arrived(world: AlertWorld) -> list[AlertDestination]:
    world.inboxes.error = None
    world.pass_minutes(30)
    return [each.destination for each in world.inboxes.received]


def test_what_waits_for_a_removed_destination_goes_to_no_other_one(world: AlertWorld) -> None:
    alert = failing_world(world, WEBHOOK, SECOND_WEBHOOK)
    of_second = world.notifications(alert.id)[1].id

    change_destinations(world, alert, SECOND_WEBHOOK)

    assert arrived(world) == [SECOND_WEBHOOK]
    assert [each.id for each in world.inboxes.received] == [of_second]
    states = [each.state for each in world.notifications(alert.id)]
    assert states == [NotificationState.DROPPED, NotificationState.SENT]


def test_what_waits_for_a_removed_destination_does_not_go_to_one_added_later(
    world: AlertWorld,
) -> None:
    alert = failing_world(world, WEBHOOK, SECOND_WEBHOOK)

    changed = change_destinations(world, alert, WEBHOOK)
    change_destinations(world, changed, WEBHOOK, webhook("new.example.com"))

    assert arrived(world) == [WEBHOOK]


def test_a_corrected_address_gets_what_waits(world: AlertWorld) -> None:
    alert = failing_world(world, WEBHOOK, SECOND_WEBHOOK)
    corrected = webhook("corrected.example.com")

    change_destinations(world, alert, WEBHOOK, corrected)

    assert arrived(world) == [WEBHOOK, corrected]


def test_a_dead_destination_shows_its_error_while_another_one_works(world: AlertWorld) -> None:
    alert = world.add_alert(failed_in_a_row=1, destinations=[WEBHOOK, SECOND_WEBHOOK])
    world.inboxes.errors = {"other.example.com": "no route"}
    world.fail()
    world.add_job(recurrence=MINUTELY, action=NO_RETRY_ACTION)
    world.pass_minutes(1)
    world.succeed()

    world.pass_minutes(2)

    found = world.run(world.store.read(lambda view: view.alert_states(alert.collection_id)))
    state = found[alert.id].of(alert.definition)
    assert [each.last_error for each in state.of_each_destination] == [None, "no route"]
    assert [each.waiting for each in state.of_each_destination] == [0, 2]
    assert state.last_error == "no route"
