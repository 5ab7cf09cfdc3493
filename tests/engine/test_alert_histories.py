"""Random histories of alerts: kills, changes, deletions; nothing is lost or told twice."""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from foliot.core.instant import SECOND, Instant
from foliot.core.model.alert import Alert
from foliot.core.model.incident import Telling
from foliot.core.model.notification import Notification, NotificationKind, NotificationState
from tests.support.alert_world import NO_RETRY_ACTION, SECOND_WEBHOOK, AlertWorld, duration
from tests.support.alerts import WEBHOOK
from tests.support.crashing_store import Crash, CrashingStore, round_until_crash
from tests.support.engine_world import failing

MINUTELY = {"frequency": "minute"}
JOBS = ("one", "two", "three")
JOB = {"recurrence": MINUTELY, "policy": {"pauseAfter": 4}, "action": NO_RETRY_ACTION}
LATE = duration("PT1M", 60 * SECOND)


async def tell_until_crash(world: AlertWorld) -> None:
    """Let watch and outbox do what is due now, to the end or to that of their process."""
    with suppress(Crash):
        await world.tell_once()
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()


class History:
    """A world in which anything may happen at any time, and what must hold in the end."""

    def __init__(self, world: AlertWorld, seed: int) -> None:
        self.world = world
        self.dice = Random(seed)  # noqa: S311  (a history, not a secret)
        self.deleted_at: dict[str, Instant] = {}
        self.alert: Alert = world.add_alert(
            failed_in_a_row=2,
            late_by=LATE,
            no_success_intervals=5,
            paused=True,
            destinations=[WEBHOOK, SECOND_WEBHOOK],
        )
        for name in JOBS:
            world.add_job(name, **JOB)
        self._start()

    def _start(self) -> None:
        self.store = CrashingStore(self.world.store, self.dice)
        self.world.start_engine(self.store)
        self.world.restart_alerts(self.store, node=f"node {self.dice.randrange(2)}")

    def minute(self) -> None:
        world = self.world
        world.clock.at = Instant(world.clock.at + self.dice.choice([20, 40, 60, 120]) * SECOND)
        self._maybe_change()
        if self.dice.random() > 0.1:
            world.run(round_until_crash(world))
        if self.store.has_crashed:
            self._start()
        world.run(tell_until_crash(world))
        if self.store.has_crashed:
            self._start()

    def _maybe_change(self) -> None:
        world, dice = self.world, self.dice
        changes: list[Callable[[], None]] = [
            world.fail,
            world.succeed,
            self._break_inboxes,
            self._save_job,
            self._delete_job,
            self._touch_alert,
        ]
        if dice.random() < 0.4:
            dice.choice(changes)()

    def _break_inboxes(self) -> None:
        self.world.inboxes.error = None if self.world.inboxes.error else "down"

    def _save_job(self) -> None:
        name, state = self.dice.choice(JOBS), self.dice.choice(["enabled", "disabled"])
        if name not in self.deleted_at:
            self.world.save(name, state=state, **JOB)

    def _delete_job(self) -> None:
        name = self.dice.choice(JOBS)
        if name not in self.deleted_at and self.dice.random() < 0.2:
            self.world.delete_job(name)
            self.deleted_at[name] = self.world.clock.now()

    def _touch_alert(self) -> None:
        self.alert = replace(self.alert, changed_at=self.world.clock.now())
        self.world.change(lambda to: to.save_alert(self.alert))

    def settle_down(self) -> None:
        """Let everything that waits arrive, without further crashes."""
        world = self.world
        world.restart_alerts()
        world.start_engine()
        world.inboxes.error = None
        world.targets.answer = failing()
        for _ in range(40):
            world.clock.at = Instant(world.clock.at + 600 * SECOND)
            world.step()
            world.tell()


def check(history: History) -> int:
    """Compare what was received with the incidents; return how many incidents there were."""
    world = history.world
    received = world.inboxes.received
    incidents = world.run(
        world.store.read(lambda view: view.recent_incidents(history.alert.id, limit=10_000))
    )
    found: list[Notification] = world.run(
        world.store.read(
            lambda view: [n for each in incidents for n in view.notifications(each.id)]
        )
    )
    by_id = {each.id: each for each in found}
    arrived = {each.id for each in received}
    # Whatever arrived is in the outbox, and says what the outbox says at every try.
    assert arrived <= by_id.keys()
    assert all(by_id[each.id].message == each.message for each in received)
    # Nothing is lost: only messages about deleted jobs are dropped.
    assert {each.id for each in found if each.state is NotificationState.SENT} <= arrived
    assert not [each for each in found if each.state is NotificationState.FAILED]
    dropped = [each for each in found if each.state is NotificationState.DROPPED]
    assert {each.message.job for each in dropped} <= history.deleted_at.keys()
    waiting = [each for each in found if each.state is NotificationState.WAITING]
    assert not [each for each in waiting if each.due_at < world.clock.now() - 600 * SECOND]
    # Each incident that is told has each of its messages once for each destination.
    keys = Counter((each.incident_id, each.message.kind, each.destination) for each in found)
    assert not [key for key, count in keys.items() if count > 1]
    for incident in incidents:
        kinds = {kind for id_, kind, _ in keys if id_ == incident.id}
        if incident.telling is Telling.TOLD:
            # One that was open at the summary is told there.
            summaries = [
                each
                for each in found
                if each.message.kind is NotificationKind.SUMMARY
                and each.message.at > incident.opened_at
            ]
            assert NotificationKind.RAISED in kinds or summaries
            assert (NotificationKind.RESOLVED in kinds) is (incident.is_resolved is True)
    # Nothing is told about a job after it was deleted.
    for each in received:
        gone_at = history.deleted_at.get(each.message.job or "")
        assert gone_at is None or each.at <= gone_at
    return len(incidents)


@pytest.mark.parametrize("seed", range(6))
def test_a_random_history_is_told_as_it_was(tmp_path: Path, seed: int) -> None:
    with AlertWorld(tmp_path) as world:
        history = History(world, seed)

        for _ in range(120):
            history.minute()
        history.settle_down()

        assert check(history) > 0
