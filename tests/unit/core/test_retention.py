from foliot.core.instant import DAY, Instant
from foliot.core.limits import Limits
from foliot.core.rules.retention import Retention, retention
from tests.support.builders import NOW


def test_history_and_ended_jobs_are_kept_for_the_days_of_the_limits() -> None:
    limits = Limits(
        history_days=2, history_entries=3, finished_job_days=4, audit_days=5, audit_entries=6
    )

    assert retention(limits, NOW) == Retention(
        history_since=Instant(NOW - 2 * DAY),
        history_entries=3,
        ended_since=Instant(NOW - 4 * DAY),
        audit_since=Instant(NOW - 5 * DAY),
        audit_entries=6,
        incidents_since=Instant(NOW - 30 * DAY),
    )


def test_more_days_than_the_calendar_has_keep_everything() -> None:
    found = retention(Limits(history_days=2**31 - 1, finished_job_days=2**31 - 1), NOW)

    assert (found.history_since, found.ended_since) == (0, 0)
