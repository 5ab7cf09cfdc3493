"""What alerts tell about jobs, in virtual time, on a real store."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from foliot.core.instant import DAY, HOUR, MINUTE, SECOND, Instant
from foliot.core.model.alert import Alert, QuietHours
from foliot.core.model.incident import Telling
from foliot.core.model.job import JobState
from foliot.core.model.notification import NotificationState
from foliot.ports.store import Store, Transaction
from tests.support.alert_world import (
    NO_RETRY_ACTION,
    SECOND_WEBHOOK,
    AlertWorld,
    clock_text,
    duration,
)
from tests.support.alerts import WEBHOOK, an_alert
from tests.support.builders import a_collection
from tests.support.engine_world import KEY

MINUTELY = {"frequency": "minute"}
HOURLY = {"frequency": "hour"}
NO_RETRY: dict[str, Any] = {"action": NO_RETRY_ACTION}
LATE = duration("PT5M", 5 * MINUTE)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[AlertWorld]:
    with AlertWorld(tmp_path) as made:
        yield made


def test_a_failure_is_told_once_and_so_is_the_recovery(world: AlertWorld) -> None:
    alert = world.add_alert(failed_in_a_row=2)
    world.add_job(recurrence=MINUTELY, **NO_RETRY)
    world.fail()

    world.pass_minutes(6)
    world.succeed()
    world.pass_minutes(3)

    assert world.inboxes.told == ["raised:failed", "resolved:failed"]
    raised, resolved = world.inboxes.received
    assert raised.message.facts["failedInARow"] == 2
    assert "2 runs in a row were given up" in raised.message.sentence
    assert "recovered: a run succeeded" in resolved.message.sentence
    assert raised.id != resolved.id
    (incident,) = world.incidents(alert.id)
    assert incident.is_resolved is True


def test_each_destination_gets_each_message_with_an_id_of_its_own(world: AlertWorld) -> None:
    world.add_alert(failed_in_a_row=1, destinations=[WEBHOOK, SECOND_WEBHOOK])
    world.add_job(recurrence=MINUTELY, **NO_RETRY)
    world.fail()

    world.pass_minutes(3)

    destinations = sorted((each.destination for each in world.inboxes.received), key=str)
    assert destinations == sorted([WEBHOOK, SECOND_WEBHOOK], key=str)
    assert len({each.id for each in world.inboxes.received}) == 2


def test_a_retry_that_succeeds_is_no_incident(world: AlertWorld) -> None:
    world.add_alert(failed_in_a_row=1)
    world.fail()
    world.add_job(recurrence=HOURLY)

    world.step()
    world.succeed()
    world.pass_minutes(5)

    assert world.job().failure_count == 1
    assert world.inboxes.told == []


def test_only_jobs_with_the_tags_of_an_alert_are_told(world: AlertWorld) -> None:
    world.add_alert(failed_in_a_row=1, tags={"team": "billing"})
    world.fail()
    world.add_job("other", recurrence=MINUTELY, **NO_RETRY)
    world.add_job("mine", recurrence=MINUTELY, **NO_RETRY)

    def tag(to: Transaction) -> None:
        located = to.located_job(KEY, "mine")
        assert located is not None
        job = located[1]
        assert job is not None
        definition = replace(job.definition, tags={"team": "billing", "more": "x"})
        to.save_job(replace(job, definition=definition))

    world.change(tag)
    world.pass_minutes(3)

    assert [each.message.job for each in world.inboxes.received] == ["mine"]


def test_a_job_that_does_not_begin_is_late_until_one_begins_in_time(world: AlertWorld) -> None:
    world.add_alert(late_by=LATE)
    world.add_job(recurrence=HOURLY)
    world.pass_minutes(59)
    assert world.inboxes.told == []

    for _ in range(10):
        # No engine claims the job.
        world.clock.at = Instant(world.clock.at + MINUTE)
        world.tell()
    assert world.inboxes.told == ["raised:late"]
    assert "has not begun" in world.inboxes.received[0].message.sentence
    assert clock_text(world.inboxes.received[0].at) == "01:06"
    world.pass_minutes(20)
    assert world.inboxes.told == ["raised:late"]
    world.pass_minutes(40)

    assert world.inboxes.told == ["raised:late", "resolved:late"]
    assert clock_text(world.inboxes.received[1].at) == "02:00"


def test_a_run_that_began_late_is_told_though_nobody_watched_at_that_time(
    world: AlertWorld,
) -> None:
    world.add_alert(late_by=LATE)
    world.add_job(recurrence=HOURLY)
    world.pass_minutes(30)

    world.clock.at = Instant(world.clock.at + 45 * MINUTE)
    world.step()
    world.tell()

    assert world.inboxes.told == ["raised:late"]
    assert "began at 2026-01-10T01:15:00Z" in world.inboxes.received[0].message.sentence


def test_a_job_without_success_for_its_intervals_is_told(world: AlertWorld) -> None:
    world.add_alert(no_success_intervals=3)
    world.add_job(recurrence=HOURLY, **NO_RETRY)
    world.pass_minutes(60)
    world.fail()

    world.pass_minutes(170)
    assert world.inboxes.told == []
    world.pass_minutes(30)
    assert world.inboxes.told == ["raised:noSuccess"]
    assert clock_text(world.inboxes.received[0].at) == "04:07"
    world.succeed()
    world.pass_minutes(60)

    assert world.inboxes.told == ["raised:noSuccess", "resolved:noSuccess"]


def test_a_calendar_with_nights_off_is_not_without_success_at_night(world: AlertWorld) -> None:
    world.add_alert(no_success_intervals=2)
    hours = {"hours": [8, 9, 10], "minutes": [0, 30]}
    world.add_job(recurrence={"frequency": "day", "schedule": hours}, **NO_RETRY)
    world.pass_minutes(12 * 60)
    assert world.inboxes.told == []
    world.fail()

    world.pass_minutes(20 * 60 + 32)
    assert world.inboxes.told == []
    world.pass_minutes(10)

    assert world.inboxes.told == ["raised:noSuccess"]


def test_a_job_that_is_enabled_again_has_its_intervals_anew(world: AlertWorld) -> None:
    world.add_alert(no_success_intervals=2)
    world.fail()
    world.add_job(recurrence=HOURLY, **NO_RETRY)
    world.pass_minutes(30)
    world.save(recurrence=HOURLY, state="disabled", **NO_RETRY)
    world.pass_minutes(10 * 60)
    world.save(recurrence=HOURLY, state="enabled", **NO_RETRY)

    world.pass_minutes(60)
    assert world.inboxes.told == []
    world.pass_minutes(70)

    assert world.inboxes.told == ["raised:noSuccess"]


def test_a_job_that_its_policy_pauses_is_told_until_it_is_enabled(world: AlertWorld) -> None:
    world.add_alert(paused=True)
    world.fail()
    paused = {"recurrence": MINUTELY, "policy": {"pauseAfter": 3}, **NO_RETRY}
    world.add_job(**paused)

    world.pass_minutes(5)
    assert world.inboxes.told == ["raised:paused"]
    assert "3 runs in a row were given up" in world.inboxes.received[0].message.sentence
    world.succeed()
    world.save(state="enabled", **paused)
    world.pass_minutes(2)

    assert world.job().state is JobState.ENABLED
    assert world.inboxes.told == ["raised:paused", "resolved:paused"]


def test_a_paused_job_that_failed_is_told_as_recovered_after_its_next_success(
    world: AlertWorld,
) -> None:
    world.add_alert(failed_in_a_row=1)
    world.fail()
    paused = {"recurrence": MINUTELY, "policy": {"pauseAfter": 3}, **NO_RETRY}
    world.add_job(**paused)
    world.pass_minutes(5)

    world.succeed()
    world.save(state="enabled", **paused)
    world.pass_minutes(3)

    assert world.inboxes.told == ["raised:failed", "resolved:failed"]


def sas(text: str) -> dict[str, Any]:
    uri = f"http://example.com/?se={text}&sig=secret"
    return {"action": {"type": "Http", "request": {"uri": uri, "method": "GET"}}}


def test_an_expiring_token_is_told_until_it_is_replaced(world: AlertWorld) -> None:
    world.add_alert(expiring_within=duration("P7D", 7 * DAY))
    world.add_job(recurrence=HOURLY, **sas("2026-01-18T00:00:00Z"))

    world.pass_minutes(23 * 60)
    assert world.inboxes.told == []
    world.pass_minutes(120)
    assert world.inboxes.told == ["raised:expiring"]
    assert (
        "SAS token that expires at 2026-01-18T00:00:00Z"
        in world.inboxes.received[0].message.sentence
    )
    world.save(recurrence=HOURLY, **sas("2027-01-18T00:00:00Z"))
    world.pass_minutes(2)

    assert world.inboxes.told == ["raised:expiring", "resolved:expiring"]


def ask_for_less(world: AlertWorld, alert: Alert) -> None:
    conditions = replace(alert.definition.conditions, expiring_within=duration("PT1H", HOUR))
    definition = replace(alert.definition, conditions=conditions)
    world.change(lambda to: to.save_alert(replace(alert, definition=definition)))


def remove_the_token(world: AlertWorld, _: Alert) -> None:
    world.save(recurrence=HOURLY, **NO_RETRY)


@pytest.mark.parametrize("change", [ask_for_less, remove_the_token])
def test_a_token_that_is_not_replaced_ends_its_incident_without_a_recovery(
    world: AlertWorld, change: Any
) -> None:
    alert = world.add_alert(expiring_within=duration("P7D", 7 * DAY))
    world.add_job(recurrence=HOURLY, **sas("2026-01-12T00:00:00Z"))
    world.pass_minutes(2)
    assert world.inboxes.told == ["raised:expiring"]

    change(world, alert)
    world.pass_minutes(2)

    assert world.inboxes.told == ["raised:expiring"]
    assert [each.is_resolved for each in world.incidents(alert.id)] == [False]


def disable_job(world: AlertWorld, _: Alert) -> None:
    world.save(recurrence=MINUTELY, state="disabled", **NO_RETRY)


def delete_job(world: AlertWorld, _: Alert) -> None:
    world.delete_job()


def disable_alert(world: AlertWorld, alert: Alert) -> None:
    world.change(lambda to: to.save_alert(replace(alert, is_enabled=False)))


def delete_alert(world: AlertWorld, alert: Alert) -> None:
    world.change(lambda to: to.delete_alert(alert.id))


def want_other_tags(world: AlertWorld, alert: Alert) -> None:
    definition = replace(alert.definition, tags={"team": "other"})
    world.change(lambda to: to.save_alert(replace(alert, definition=definition)))


def delete_collection(world: AlertWorld, alert: Alert) -> None:
    world.change(lambda to: to.delete_collection(alert.collection_id))


@pytest.mark.parametrize(
    "change",
    [disable_job, delete_job, disable_alert, delete_alert, want_other_tags, delete_collection],
)
def test_a_change_ends_an_incident_without_a_recovery(world: AlertWorld, change: Any) -> None:
    alert = world.add_alert(failed_in_a_row=1)
    world.fail()
    world.add_job(recurrence=MINUTELY, **NO_RETRY)
    world.pass_minutes(2)
    assert world.inboxes.told == ["raised:failed"]

    change(world, alert)
    world.succeed()
    world.pass_minutes(3)

    assert world.inboxes.told == ["raised:failed"]
    assert world.run(world.store.read(lambda view: view.count_open_incidents())) == 0


@pytest.mark.parametrize("change", [delete_job, disable_alert, delete_alert, delete_collection])
def test_a_message_that_waits_is_not_sent_after_its_job_or_alert_is_gone(
    world: AlertWorld, change: Any
) -> None:
    alert = world.add_alert(failed_in_a_row=1)
    world.inboxes.error = "down"
    world.fail()
    world.add_job(recurrence=MINUTELY, **NO_RETRY)
    world.pass_minutes(2)
    assert world.inboxes.tries > 0

    change(world, alert)
    world.inboxes.error = None
    world.pass_minutes(60)

    assert world.inboxes.told == []


def test_a_changed_alert_that_still_applies_says_nothing_again(world: AlertWorld) -> None:
    alert = world.add_alert(failed_in_a_row=1)
    world.fail()
    world.add_job(recurrence=MINUTELY, **NO_RETRY)
    world.pass_minutes(2)

    definition = replace(alert.definition, description="new")
    changed = replace(alert, definition=definition, changed_at=world.clock.now())
    world.change(lambda to: to.save_alert(changed))
    world.pass_minutes(5)
    world.succeed()
    world.pass_minutes(2)

    assert world.inboxes.told == ["raised:failed", "resolved:failed"]


def test_a_job_that_flaps_is_told_three_times_an_hour_and_once_in_summary(
    world: AlertWorld,
) -> None:
    alert = world.add_alert(failed_in_a_row=1)
    world.add_job(recurrence=MINUTELY, **NO_RETRY)

    for _ in range(30):
        world.fail()
        world.pass_minutes(1)
        world.succeed()
        world.pass_minutes(1)
    in_an_hour = list(world.inboxes.told)
    world.pass_minutes(70)

    assert in_an_hour == ["raised:failed", "resolved:failed"] * 3
    assert world.inboxes.told == [*in_an_hour, "summary:-"]
    summary = world.inboxes.received[-1].message
    assert summary.facts["incidents"] == 27
    assert "27 more incidents" in summary.sentence
    tellings = [each.telling for each in world.incidents(alert.id)]
    assert tellings == [Telling.TOLD] * 3 + [Telling.SUMMARIZED] * 27


def test_an_incident_that_is_open_at_the_summary_is_told_when_it_is_resolved(
    world: AlertWorld,
) -> None:
    world.add_alert(failed_in_a_row=1)
    world.add_job(recurrence=MINUTELY, **NO_RETRY)
    for _ in range(4):
        world.fail()
        world.pass_minutes(1)
        world.succeed()
        world.pass_minutes(1)
    world.fail()

    world.pass_minutes(65)
    summary = world.inboxes.received[-1].message
    world.succeed()
    world.pass_minutes(2)

    assert world.inboxes.told[6:] == ["summary:-", "resolved:failed"]
    assert (summary.facts["incidents"], summary.facts["open"]) == (2, 1)


NIGHT = QuietHours(begin=22 * 60, end=6 * 60, time_zone="Europe/Prague")


def test_what_happens_in_quiet_hours_is_told_at_their_end(world: AlertWorld) -> None:
    world.add_alert(failed_in_a_row=1, quiet_hours=NIGHT)
    world.fail()
    world.add_job(recurrence=MINUTELY, **NO_RETRY)

    world.pass_minutes(4 * 60 + 55)
    assert world.inboxes.told == []
    world.pass_minutes(10)

    assert world.inboxes.told == ["raised:failed"]
    assert clock_text(world.inboxes.received[0].at) == "05:00"


def test_an_incident_that_is_over_before_quiet_hours_end_is_one_message(world: AlertWorld) -> None:
    alert = world.add_alert(failed_in_a_row=1, quiet_hours=NIGHT)
    world.fail()
    world.add_job(recurrence=MINUTELY, **NO_RETRY)
    world.pass_minutes(30)
    world.succeed()

    world.pass_minutes(5 * 60)

    assert world.inboxes.told == ["resolved:failed"]
    sentence = world.inboxes.received[0].message.sentence
    assert "failed: its run for" in sentence
    assert "Meanwhile it recovered" in sentence
    states = {each.state for each in world.notifications(alert.id)}
    assert states == {NotificationState.SENT, NotificationState.DROPPED}


@pytest.mark.parametrize("change", [disable_job, want_other_tags])
def test_an_incident_that_a_change_ends_in_quiet_hours_is_not_told_after_them(
    world: AlertWorld, change: Any
) -> None:
    alert = world.add_alert(failed_in_a_row=1, quiet_hours=NIGHT)
    world.fail()
    world.add_job(recurrence=MINUTELY, **NO_RETRY)
    world.pass_minutes(2)

    change(world, alert)
    world.pass_minutes(1)
    world.clock.at = Instant(world.clock.at + 6 * HOUR)
    world.tell()

    assert world.inboxes.told == []
    states = [each.state for each in world.notifications(alert.id)]
    assert states == [NotificationState.DROPPED]


def test_a_destination_that_is_down_gets_the_message_later_with_the_same_id(
    world: AlertWorld,
) -> None:
    alert = world.add_alert(failed_in_a_row=1)
    world.inboxes.error = "example.com answered 500."
    world.fail()
    world.add_job(recurrence=MINUTELY, **NO_RETRY)
    world.pass_minutes(1)
    (before,) = world.notifications(alert.id)
    world.succeed()

    world.pass_minutes(30)
    state = world.run(world.store.read(lambda view: view.alert_states(alert.collection_id)))
    world.inboxes.error = None
    world.pass_minutes(60)

    assert state[alert.id].last_error == "example.com answered 500."
    assert state[alert.id].waiting == 2
    assert world.inboxes.told == ["raised:failed", "resolved:failed"]
    assert world.inboxes.received[0].id == before.id
    after = world.run(world.store.read(lambda view: view.alert_states(alert.collection_id)))
    assert (after[alert.id].last_error, after[alert.id].waiting) == (None, 0)


def test_a_message_is_given_up_after_a_day(world: AlertWorld) -> None:
    alert = world.add_alert(failed_in_a_row=1)
    world.inboxes.error = "down"
    world.fail()
    world.add_job(recurrence={"frequency": "week"}, **NO_RETRY)
    world.step()

    for _ in range(50):
        world.clock.at = Instant(world.clock.at + HOUR // 2)
        world.tell()

    (notification,) = world.notifications(alert.id)
    assert (notification.state, notification.error) == (NotificationState.FAILED, "down")
    assert world.inboxes.tries == notification.attempt


def test_a_message_is_not_tried_again_in_quiet_hours_and_gets_its_day_outside_them(
    world: AlertWorld,
) -> None:
    # It begins at 0:05 UTC.
    quiet = QuietHours(begin=5, end=6 * 60, time_zone="UTC")
    alert = world.add_alert(failed_in_a_row=1, quiet_hours=quiet)
    world.inboxes.error = "down"
    world.fail()
    world.add_job(recurrence={"frequency": "week"}, **NO_RETRY)
    world.pass_minutes(4)
    (before,) = world.notifications(alert.id)
    world.pass_minutes(3)
    tries = world.inboxes.tries
    (after,) = world.notifications(alert.id)

    world.pass_minutes(30)

    assert world.inboxes.tries == tries > 1
    assert clock_text(after.due_at) == "06:00"
    assert 5 * HOUR < after.give_up_at - before.give_up_at < 6 * HOUR
    world.inboxes.error = None
    world.clock.at = after.due_at
    world.tell()
    assert world.inboxes.told == ["raised:failed"]


def test_two_nodes_tell_each_incident_once(world: AlertWorld) -> None:
    alert = world.add_alert(failed_in_a_row=1, late_by=LATE)
    world.fail()
    world.add_job(recurrence=MINUTELY, **NO_RETRY)
    first = world.watch, world.deliveries
    world.restart_alerts(node="other")
    second = world.watch, world.deliveries

    for minute in range(10):
        world.clock.at = Instant(world.clock.at + MINUTE)
        if minute != 5:
            world.step()
        for watch, deliveries in (first, second):
            world.run(watch.step())
            world.run(deliveries.step())
            world.run(deliveries.drain())

    assert world.inboxes.told == ["raised:failed"]
    assert len(world.incidents(alert.id)) == 1


def test_a_node_that_shares_its_store_with_none_takes_no_duty(world: AlertWorld) -> None:
    world.add_alert(failed_in_a_row=1)
    world.fail()
    world.restart_alerts(node=None)
    world.add_job(recurrence=MINUTELY, **NO_RETRY)

    world.tell()

    now = world.clock.now()
    assert world.change(lambda to: to.claim_duty("alerts", "other", now, Instant(now + 1)))


class Watched:
    """A store that keeps which collections the watch walks through."""

    def __init__(self, world: AlertWorld) -> None:
        self._store = world.store
        self.walked: list[tuple[int, bool]] = []

    async def read(self, view: Any) -> Any:
        return await self._store.read(view)

    async def write(self, change: Any, **how: Any) -> Any:
        return await self._store.write(change, **how)

    async def close(self) -> None:
        """Leave the store to its owner."""

    async def browse(self, view: Any) -> Any:
        def noted(reading: Any) -> Any:
            return view(Noting(reading, self.walked))

        return await self._store.browse(noted)


class Noting:
    """A reading that notes which jobs are looked for."""

    def __init__(self, reading: Any, walked: list[tuple[int, bool]]) -> None:
        self._reading = reading
        self._walked = walked

    def jobs_to_check(self, collection_id: int, *given: Any, **options: Any) -> Any:
        self._walked.append((collection_id, options["is_full"]))
        return self._reading.jobs_to_check(collection_id, *given, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reading, name)


def test_a_change_of_an_alert_has_only_the_jobs_of_its_collection_looked_at(
    world: AlertWorld,
) -> None:
    mine = world.add_alert(failed_in_a_row=1)

    def add_other(to: Transaction) -> Alert:
        other = to.add_collection(a_collection())
        return to.add_alert(an_alert(other.id, changed_at=world.clock.now()))

    other = world.change(add_other)
    store = Watched(world)
    world.restart_alerts(cast("Store", store))
    world.tell()
    first = list(store.walked)
    world.clock.at = Instant(world.clock.at + 6 * SECOND)

    changed = replace(mine, changed_at=world.clock.now())
    world.change(lambda to: to.save_alert(changed))
    world.tell()
    world.tell()

    ids = mine.collection_id, other.collection_id
    assert sorted(first) == [(each, True) for each in ids]
    assert store.walked[len(first) :] == [(mine.collection_id, True)]
