from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from foliot.core.instant import DAY, SECOND, Instant
from foliot.core.model.alert import Alert, AlertEvent
from foliot.core.model.history import RunOutcome
from foliot.core.model.incident import Incident, IncidentId, Telling
from foliot.core.model.job import Job, JobState
from foliot.core.model.notification import AlertState, DestinationState, NotificationState
from foliot.ports.store import Transaction
from foliot.store.sql import notifications as sql_notifications
from tests.support.alerts import a_notification, an_alert, an_incident
from tests.support.builders import NOW, a_job, a_run, an_entry
from tests.support.store_harness import Open, with_jobs, written

LATER = Instant(NOW + 60 * SECOND)


def set_up(to: Transaction) -> tuple[Alert, Job, Incident]:
    collection, (job,) = with_jobs(to, "job")
    alert = to.add_alert(an_alert(collection.id))
    incident = to.open_incident(an_incident(alert, job))
    assert incident is not None
    return alert, job, incident


def test_one_incident_of_an_alert_a_job_and_an_event_is_open_at_a_time(store: Open) -> None:
    alert, job, incident = written(store, set_up)
    again = an_incident(alert, job, opened_at=LATER)

    assert written(store, lambda to: to.open_incident(again)) is None
    other = written(store, lambda to: to.open_incident(replace(again, event=AlertEvent.LATE)))
    assert other is not None
    assert written(store, lambda to: to.open_incidents(job.id)) == [incident, other]
    assert written(store, lambda to: to.count_open_incidents()) == 2
    assert written(store, lambda to: to.close_incident(incident.id, LATER, is_resolved=True))
    assert not written(store, lambda to: to.close_incident(incident.id, LATER, is_resolved=False))
    assert written(store, lambda to: to.open_incident(again)) is not None
    newest = written(store, lambda to: to.recent_incidents(alert.id))
    assert [each.is_resolved for each in newest] == [None, None, True]


def test_open_incidents_are_walked_by_id(store: Open) -> None:
    alert, job, incident = written(store, set_up)
    late = an_incident(alert, job, event=AlertEvent.LATE)
    other = written(store, lambda to: to.open_incident(late))
    assert other is not None

    def after(id_: int) -> Callable[[Transaction], list[IncidentId]]:
        return lambda to: [each.id for each in to.open_incidents_after(IncidentId(id_), 1)]

    assert written(store, after(0)) == [incident.id]
    assert written(store, after(incident.id)) == [other.id]
    assert written(store, after(other.id)) == []


def test_incidents_that_are_held_back_are_found_and_not_counted_as_told(store: Open) -> None:
    alert, job, incident = written(store, set_up)

    def told(since: int) -> int:
        return written(store, lambda to: to.count_told(alert.id, job.id, Instant(since)))

    assert (told(NOW - 1), told(NOW)) == (1, 0)
    written(store, lambda to: to.set_telling([incident.id], Telling.HELD))
    held = replace(incident, telling=Telling.HELD)
    assert told(NOW - 1) == 0
    assert written(store, lambda to: to.held_incidents(Instant(NOW - 1), 9)) == []
    assert written(store, lambda to: to.held_incidents(NOW, 9)) == [held]
    assert written(store, lambda to: to.held_incidents_of(alert.id, job.id)) == [held]


def test_notifications_are_claimed_by_one_node_and_again_after_its_lease(store: Open) -> None:
    alert, _, incident = written(store, set_up)
    notification = a_notification(incident)
    written(store, lambda to: to.add_notifications([notification]))

    def claim(name: str, now: int) -> list[tuple[str, int]]:
        until = Instant(now + 10)
        waiting = written(store, lambda to: to.waiting_notifications(Instant(now), 9))
        found = written(
            store,
            lambda to: to.claim_notifications(["msg_1"], name, Instant(now), until),
        )
        assert [each.id for each in waiting] == [each.notification.id for each in found]
        assert all(each.alert == alert for each in found)
        return [(each.notification.id, each.notification.attempt) for each in found]

    assert written(store, lambda to: to.earliest_notification_at()) == NOW
    assert claim("early", NOW - 1) == []
    assert claim("one", NOW) == [("msg_1", 1)]
    assert claim("two", NOW + 9) == []
    assert claim("three", NOW + 10) == [("msg_1", 2)]
    sent = replace(notification, state=NotificationState.SENT, attempt=2)
    assert not written(store, lambda to: to.settle_notification(sent, "one", LATER))
    assert written(store, lambda to: to.settle_notification(sent, "three", LATER))
    assert not written(store, lambda to: to.settle_notification(sent, "three", LATER))
    assert written(store, lambda to: to.notifications(incident.id)) == [sent]
    assert written(store, lambda to: to.earliest_notification_at()) is None


def test_a_message_waits_for_the_one_before_it_to_the_same_destination(store: Open) -> None:
    _, _, incident = written(store, set_up)
    first = a_notification(incident, "msg_1", due_at=Instant(NOW + 5))
    second = a_notification(incident, "msg_2", number=3)
    elsewhere = a_notification(incident, "msg_3", number=3, destination=1)
    written(store, lambda to: to.add_notifications([first, second, elsewhere]))

    def claim(now: int) -> list[str]:
        def change(to: Transaction) -> list[str]:
            ids = [each.id for each in to.waiting_notifications(Instant(now), 9)]
            found = to.claim_notifications(ids, str(now), Instant(now), Instant(now + 1))
            for each in found:
                done = replace(each.notification, state=NotificationState.SENT)
                to.settle_notification(done, str(now), Instant(now))
            return [each.notification.id for each in found]

        return written(store, change)

    assert claim(NOW) == ["msg_3"]
    assert claim(NOW + 6) == ["msg_1"]
    assert claim(NOW + 7) == ["msg_2"]


def test_each_alert_and_destination_has_a_queue_of_its_own(store: Open) -> None:
    alert, job, incident = written(store, set_up)

    def add(to: Transaction) -> Alert:
        other = to.add_alert(an_alert(alert.collection_id, "other"))
        of_other = to.open_incident(an_incident(other, job))
        assert of_other is not None
        late = to.open_incident(an_incident(alert, job, event=AlertEvent.LATE))
        assert late is not None
        to.add_notifications(
            [
                a_notification(incident, "a-1", due_at=Instant(NOW - 5)),
                a_notification(late, "a-2", due_at=Instant(NOW - 4)),
                a_notification(late, "a-3", number=2, due_at=Instant(NOW - 6)),
                a_notification(incident, "b-1", destination=7, due_at=Instant(NOW - 3)),
                a_notification(late, "b-2", destination=7, due_at=Instant(NOW + 1)),
                a_notification(of_other, "c-1", due_at=Instant(NOW - 2)),
            ]
        )
        return other

    other = written(store, add)

    def waiting(of_each: int) -> list[tuple[str, Alert | None, int]]:
        found = written(store, lambda to: to.waiting_notifications(NOW, of_each))
        return [(each.id, each.alert, each.destination) for each in found]

    assert waiting(1) == [("a-1", alert, 0), ("b-1", alert, 7), ("c-1", other, 0)]
    assert [id_ for id_, *_ in waiting(9)] == ["a-1", "a-2", "b-1", "c-1"]
    written(store, lambda to: to.claim_notifications(["a-1", "c-1"], "c", NOW, LATER))
    assert [id_ for id_, *_ in waiting(1)] == ["a-2", "b-1"]
    disabled = replace(other, is_enabled=False)
    written(store, lambda to: to.save_alert(disabled))
    after = written(store, lambda to: to.waiting_notifications(LATER, 1))
    assert [(each.id, each.alert) for each in after][-1] == ("c-1", None)


def test_a_notification_that_is_due_later_is_not_claimed(store: Open) -> None:
    _, _, incident = written(store, set_up)
    written(store, lambda to: to.add_notifications([a_notification(incident, due_at=LATER)]))

    found = written(store, lambda to: to.claim_notifications(["msg_1"], "c", NOW, LATER))

    assert found == []


def test_a_message_that_is_put_back_was_not_tried(store: Open) -> None:
    alert, _, incident = written(store, set_up)
    notification = a_notification(incident, error="down")

    def put_back(to: Transaction) -> Instant | None:
        to.add_notifications([notification])
        for claim, tried_at in (("first", LATER), ("second", None)):
            to.claim_notifications(["msg_1"], claim, NOW, LATER)
            to.settle_notification(notification, claim, tried_at)
        return to.alert_states(alert.collection_id)[alert.id].last_failed_at

    assert written(store, put_back) == LATER
    assert written(store, lambda to: to.notifications(incident.id)) == [notification]


def test_messages_of_an_alert_that_wait_can_be_moved_to_another_time(store: Open) -> None:
    alert, _, incident = written(store, set_up)
    first, second = a_notification(incident, "msg_1"), a_notification(incident, "msg_2", number=3)
    sent = a_notification(incident, "msg_3", number=2, state=NotificationState.SENT)
    written(store, lambda to: to.add_notifications([second, first, sent]))
    later = replace(first, due_at=LATER, give_up_at=Instant(LATER + DAY))

    assert written(store, lambda to: to.waiting_of_alert(alert.id)) == [first, second]
    assert written(store, lambda to: to.move_notification(first, later))
    assert not written(store, lambda to: to.move_notification(first, later))
    assert not written(store, lambda to: to.move_notification(sent, later))
    assert written(store, lambda to: to.waiting_of_alert(alert.id)) == [later, second]


def test_only_first_messages_that_were_never_tried_and_are_due_later_are_dropped(
    store: Open,
) -> None:
    _, _, incident = written(store, set_up)
    given = [
        a_notification(incident, "due"),
        a_notification(incident, "tried", destination=1, due_at=LATER, attempt=1),
        a_notification(incident, "untried", destination=2, due_at=LATER),
        a_notification(incident, "summary", destination=2, due_at=LATER, number=2),
    ]
    written(store, lambda to: to.add_notifications(given))

    assert written(store, lambda to: to.drop_untried(incident.id, NOW)) == 1

    found = written(store, lambda to: to.notifications(incident.id))
    dropped = [each.id for each in found if each.state is NotificationState.DROPPED]
    assert dropped == ["untried"]


def test_how_each_destination_of_an_alert_stands_is_known(store: Open) -> None:
    alert, job, incident = written(store, set_up)
    late = written(
        store, lambda to: to.open_incident(an_incident(alert, job, event=AlertEvent.LATE))
    )
    assert late is not None
    before = a_notification(late, "before", error="timeout")
    failed = a_notification(incident, "failed")
    sent = a_notification(incident, "sent", destination=1)
    waiting = a_notification(incident, "waiting", destination=2, due_at=LATER)
    written(store, lambda to: to.add_notifications([before, failed, sent, waiting]))

    def settle(to: Transaction) -> None:
        to.claim_notifications(["before", "failed", "sent"], "claim", NOW, LATER)
        to.settle_notification(before, "claim", Instant(NOW + 1))
        gone = replace(failed, state=NotificationState.FAILED, error="no route")
        to.settle_notification(gone, "claim", Instant(NOW + 2))
        done = replace(sent, state=NotificationState.SENT)
        to.settle_notification(done, "claim", Instant(NOW + 3))

    written(store, settle)

    state = written(store, lambda to: to.alert_states(alert.collection_id))[alert.id]
    assert state == AlertState(
        open_incidents=2,
        destinations={
            0: DestinationState(waiting=1, last_failed_at=Instant(NOW + 2), last_error="no route"),
            1: DestinationState(last_sent_at=Instant(NOW + 3)),
            2: DestinationState(waiting=1),
        },
    )
    assert (state.waiting, state.last_error) == (2, "no route")
    assert (state.last_sent_at, state.last_failed_at) == (NOW + 3, NOW + 2)


def test_incidents_are_removed_after_their_time(store: Open) -> None:
    alert, job, incident = written(store, set_up)
    written(store, lambda to: to.add_notifications([a_notification(incident)]))
    written(store, lambda to: to.close_incident(incident.id, NOW, is_resolved=True))
    second = written(store, lambda to: to.open_incident(an_incident(alert, job)))
    assert second is not None

    assert written(store, lambda to: to.trim_incidents(NOW, 9)) == 0
    assert written(store, lambda to: to.trim_incidents(Instant(NOW + DAY), 9)) == 1
    assert written(store, lambda to: to.notifications(incident.id)) == []
    assert written(store, lambda to: to.recent_incidents(alert.id)) == [second]


def test_incidents_of_a_deleted_alert_are_removed_a_few_at_a_time(store: Open) -> None:
    alert, job, incident = written(store, set_up)
    other = written(store, lambda to: to.add_alert(an_alert(alert.collection_id, "other")))
    kept = written(store, lambda to: to.open_incident(an_incident(other, job)))
    written(store, lambda to: to.add_notifications([a_notification(incident)]))
    written(store, lambda to: to.close_incident(incident.id, NOW, is_resolved=True))
    for _ in range(2):
        more = written(store, lambda to: to.open_incident(an_incident(alert, job)))
        assert more is not None
        written(store, lambda to, each=more.id: to.close_incident(each, NOW, is_resolved=True))

    assert written(store, lambda to: to.trim_incidents_without_alert(2)) == 0
    written(store, lambda to: to.delete_alert(alert.id))
    trimmed = [written(store, lambda to: to.trim_incidents_without_alert(2)) for _ in range(3)]

    assert trimmed == [2, 1, 0]
    assert written(store, lambda to: to.notifications(incident.id)) == []
    assert written(store, lambda to: to.recent_incidents(alert.id)) == []
    assert written(store, lambda to: to.recent_incidents(other.id)) == [kept]


def test_incidents_of_a_job_are_removed_a_few_at_a_time(store: Open) -> None:
    alert, job, incident = written(store, set_up)
    late = an_incident(alert, job, event=AlertEvent.LATE)
    written(store, lambda to: to.open_incident(late))
    written(store, lambda to: to.add_notifications([a_notification(incident)]))
    another = written(store, lambda to: to.add_job(a_job(alert.collection_id, "another")))
    kept = written(store, lambda to: to.open_incident(an_incident(alert, another)))

    trimmed = [written(store, lambda to: to.trim_incidents_of_job(job.id, 1)) for _ in range(3)]

    assert trimmed == [1, 1, 0]
    assert written(store, lambda to: to.recent_incidents(alert.id)) == [kept]


def test_how_alerts_stand_is_told_by_their_newest_tries(
    store: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql_notifications, "_NEWEST_TRIES", 2)
    alert, _, incident = written(store, set_up)
    names = ["old", "newer", "newest"]
    messages = [
        a_notification(incident, name, number=number) for number, name in enumerate(names, 1)
    ]
    waiting = a_notification(incident, "waiting", number=4, due_at=LATER)
    written(store, lambda to: to.add_notifications([*messages, waiting]))

    def settle(to: Transaction) -> None:
        to.claim_notifications(names, "claim", NOW, LATER)
        states = NotificationState.SENT, NotificationState.FAILED, NotificationState.FAILED
        for at, (each, state) in enumerate(zip(messages, states, strict=True)):
            error = None if state is NotificationState.SENT else each.id
            to.settle_notification(
                replace(each, state=state, error=error), "claim", Instant(NOW + at)
            )

    written(store, settle)

    state = written(store, lambda to: to.alert_states(alert.collection_id))[alert.id]
    assert state.destinations == {
        0: DestinationState(waiting=1, last_failed_at=Instant(NOW + 2), last_error="newest")
    }


def test_a_duty_belongs_to_one_node_until_its_lease_ends(store: Open) -> None:
    def claim(node: str, now: int) -> bool:
        return written(store, lambda to: to.claim_duty("d", node, Instant(now), Instant(now + 10)))

    assert claim("a", NOW)
    assert not claim("b", NOW + 5)
    assert claim("a", NOW + 5)
    assert not claim("b", NOW + 14)
    assert claim("b", NOW + 15)
    assert not claim("a", NOW + 16)


def test_what_alerts_watch_is_found(store: Open) -> None:
    alert, job, _ = written(store, set_up)
    disabled = an_alert(alert.collection_id, "off", is_enabled=False, changed_at=LATER)
    written(store, lambda to: to.add_alert(disabled))

    assert written(store, lambda to: to.watched_collections()) == {alert.collection_id: NOW}
    assert written(store, lambda to: to.watching_alerts(alert.collection_id)) == {alert.id: alert}
    (found,) = written(store, lambda to: list(to.watched_jobs([job.id]).values()))
    assert found is not None
    assert found[1] == job
    written(store, lambda to: to.delete_job(job.id))
    assert written(store, lambda to: to.watched_jobs([job.id])) == {}


def test_jobs_that_wait_after_a_success_are_checked_in_a_full_walk_only(store: Open) -> None:
    def add(to: Transaction) -> Job:
        _, jobs = with_jobs(to, "a-new", "b-good", "c-failing", "d-running", "e-paused")
        waiting = [replace(j, last_outcome=RunOutcome.SUCCEEDED, next_at=LATER) for j in jobs[1:]]
        good, failing, running, paused = waiting
        to.save_job(good)
        to.save_job(replace(failing, consecutive_failures=1))
        to.save_job(running)
        to.add_run(a_run(running))
        to.save_job(replace(paused, state=JobState.DISABLED, paused_because="3 runs"))
        return jobs[0]

    of = written(store, add).collection_id

    def checked(**page: Any) -> list[str]:
        given = {"limit": 9, "is_full": False} | page
        return [name for name, _ in written(store, lambda to: to.jobs_to_check(of, NOW, **given))]

    assert checked() == ["a-new", "c-failing", "d-running", "e-paused"]
    assert checked(is_full=True) == ["a-new", "b-good", "c-failing", "d-running", "e-paused"]
    assert checked(after="a-new", limit=1) == ["c-failing"]


def test_jobs_that_ended_with_a_failure_are_checked_for_two_days(store: Open) -> None:
    def add(to: Transaction) -> Job:
        _, jobs = with_jobs(to, "a-failed", "b-good", "c-long-ago")
        failed, good, long_ago = (
            replace(each, state=JobState.FAULTED, next_at=None, ended_at=NOW) for each in jobs
        )
        to.save_job(replace(failed, consecutive_failures=1))
        to.save_job(replace(good, state=JobState.COMPLETED, last_outcome=RunOutcome.SUCCEEDED))
        to.save_job(replace(long_ago, ended_at=Instant(NOW - 2 * DAY)))
        return jobs[0]

    of = written(store, add).collection_id

    def checked(*, is_full: bool) -> list[str]:
        found = written(store, lambda to: to.jobs_to_check(of, NOW, limit=9, is_full=is_full))
        return [name for name, _ in found]

    assert checked(is_full=False) == ["a-failed"]
    assert checked(is_full=True) == ["a-failed", "b-good"]


def test_incidents_of_an_event_are_counted_whether_they_are_open_or_not(store: Open) -> None:
    alert, job, incident = written(store, set_up)
    written(store, lambda to: to.close_incident(incident.id, LATER, is_resolved=False))

    def count(event: AlertEvent, since: int) -> int:
        return written(
            store, lambda to: to.count_incidents(alert.id, job.id, event, Instant(since))
        )

    assert count(AlertEvent.FAILED, NOW - 1) == 1
    assert count(AlertEvent.FAILED, NOW) == 0
    assert count(AlertEvent.LATE, NOW - 1) == 0


def test_the_newest_success_of_a_job_is_found(store: Open) -> None:
    _, job, _ = written(store, set_up)
    entries = [
        an_entry(job.id, second=1, outcome=RunOutcome.SUCCEEDED),
        an_entry(job.id, second=2, outcome=RunOutcome.RECOVERED),
        an_entry(job.id, second=3, outcome=RunOutcome.FAILED),
    ]
    written(store, lambda to: to.add_history(*entries))

    found = written(store, lambda to: to.last_success(job.id, NOW))

    assert found == (entries[1].started_at, entries[1].ended_at)
    since = Instant(entries[1].ended_at + 1)
    assert written(store, lambda to: to.last_success(job.id, since)) is None


def test_a_success_that_began_before_an_instant_and_ended_after_it_is_found(store: Open) -> None:
    _, job, _ = written(store, set_up)
    long = an_entry(job.id, outcome=RunOutcome.SUCCEEDED, ended_at=LATER)
    written(store, lambda to: to.add_history(long))

    assert written(store, lambda to: to.last_success(job.id, LATER)) == (NOW, LATER)
    assert written(store, lambda to: to.last_success(job.id, Instant(LATER + 1))) is None
