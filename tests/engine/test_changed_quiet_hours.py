"""A change of quiet hours applies to the messages that already wait, in both directions."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from foliot.core.instant import HOUR, MINUTE, Instant
from foliot.core.model.alert import Alert, QuietHours
from foliot.core.model.notification import Notification
from foliot.core.rules.alerts.retries import GIVE_UP_AFTER
from tests.support.alert_world import NO_RETRY_ACTION, AlertWorld, clock_text
from tests.support.engine_world import KEY, OWNER

WEEKLY = {"frequency": "week"}
# The world begins at 0:00 UTC.
NIGHT = QuietHours(begin=0, end=6 * 60, time_zone="UTC")
SHORT_NIGHT = QuietHours(begin=0, end=2 * 60, time_zone="UTC")
FROM_0_05 = QuietHours(begin=5, end=6 * 60, time_zone="UTC")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[AlertWorld]:
    with AlertWorld(tmp_path) as made:
        yield made


def fail_under(world: AlertWorld, quiet: QuietHours | None) -> Alert:
    """Add an alert and a job that fails once, a minute later."""
    alert = world.add_alert(failed_in_a_row=1, quiet_hours=quiet)
    world.fail()
    world.add_job(recurrence=WEEKLY, action=NO_RETRY_ACTION)
    world.pass_minutes(1)
    return alert


def set_quiet_hours(world: AlertWorld, alert: Alert, quiet: QuietHours | None) -> None:
    definition = replace(alert.definition, quiet_hours=quiet)
    world.run(
        world.use_cases.alerts.save_alert(OWNER, KEY, alert.name, lambda _: (definition, True))
    )


def only_message(world: AlertWorld, alert: Alert) -> Notification:
    (found,) = world.notifications(alert.id)
    return found


def last_failed_at(world: AlertWorld, alert: Alert) -> Instant | None:
    states = world.run(world.store.read(lambda view: view.alert_states(alert.collection_id)))
    return states[alert.id].last_failed_at


def test_what_quiet_hours_hold_back_is_told_when_they_are_removed(world: AlertWorld) -> None:
    alert = fail_under(world, NIGHT)
    assert world.inboxes.told == []

    set_quiet_hours(world, alert, None)
    changed_at = world.clock.now()
    moved = only_message(world, alert)
    world.tell()

    assert world.inboxes.told == ["raised:failed"]
    assert (moved.due_at, moved.give_up_at) == (changed_at, changed_at + GIVE_UP_AFTER)


def test_what_quiet_hours_hold_back_is_told_at_the_end_of_the_new_ones(world: AlertWorld) -> None:
    alert = fail_under(world, NIGHT)

    set_quiet_hours(world, alert, SHORT_NIGHT)
    world.pass_minutes(3 * 60)

    assert [clock_text(each.at) for each in world.inboxes.received] == ["02:00"]


def test_a_retry_that_quiet_hours_hold_back_comes_when_they_are_removed(world: AlertWorld) -> None:
    world.inboxes.error = "down"
    alert = fail_under(world, FROM_0_05)
    first = only_message(world, alert)
    world.pass_minutes(6)
    held = only_message(world, alert)
    world.inboxes.error = None

    set_quiet_hours(world, alert, None)
    moved = only_message(world, alert)
    world.tell()

    assert clock_text(held.due_at) == "06:00"
    assert world.inboxes.told == ["raised:failed"]
    # The minutes in which the quiet hours did hold it back do not count.
    assert 0 <= moved.give_up_at - first.give_up_at < 3 * MINUTE


def test_a_retry_that_waits_for_its_pause_keeps_its_time(world: AlertWorld) -> None:
    world.inboxes.error = "down"
    alert = fail_under(world, FROM_0_05)
    before = only_message(world, alert)

    set_quiet_hours(world, alert, None)

    assert only_message(world, alert) == before


def test_a_message_is_not_tried_again_in_quiet_hours_that_a_change_brings(
    world: AlertWorld,
) -> None:
    world.inboxes.error = "down"
    alert = fail_under(world, None)
    before, tries = only_message(world, alert), world.inboxes.tries

    set_quiet_hours(world, alert, NIGHT)
    world.pass_minutes(30)

    after = only_message(world, alert)
    assert world.inboxes.tries == tries
    assert clock_text(after.due_at) == "06:00"
    assert 5 * HOUR < after.give_up_at - before.give_up_at < 6 * HOUR


def test_a_message_that_no_node_sent_in_time_is_not_sent_in_quiet_hours(world: AlertWorld) -> None:
    world.inboxes.error = "down"
    alert = fail_under(world, FROM_0_05)
    before = only_message(world, alert)
    failed_at = last_failed_at(world, alert)

    world.clock.at = Instant(world.clock.at + HOUR)
    world.inboxes.error = None
    world.tell()

    after = only_message(world, alert)
    assert world.inboxes.told == []
    assert (clock_text(after.due_at), after.attempt) == ("06:00", before.attempt)
    assert last_failed_at(world, alert) == failed_at
