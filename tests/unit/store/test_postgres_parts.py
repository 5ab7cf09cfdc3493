"""The parts of the PostgreSQL store that need no PostgreSQL."""

import logging
from collections.abc import Callable

import psycopg
import pytest

from foliot.core.instant import SECOND, Instant
from foliot.serve.heartbeat import warn_of_clock_offset
from foliot.store.postgres.clock_offset import ClockOffset
from foliot.store.postgres.due_window import BEGINNING, DueWindow, DueWindows, ScanRange
from foliot.store.postgres.errors import reason_of
from tests.support.builders import NOW


def after(seconds: int) -> Instant:
    return Instant(NOW + seconds * SECOND)


def seen(window: DueWindow, now: Instant) -> DueWindow:
    """Look at all that is recent, and find all there is."""
    window.recent_scanned(window.recent(now), seen_until=now)
    return window


def test_a_scan_starts_seconds_before_the_last_that_saw_all_rows() -> None:
    window = DueWindow()
    assert window.recent(NOW) == (BEGINNING, NOW)
    assert window.start == BEGINNING
    window.recent_scanned(ScanRange(BEGINNING, NOW), seen_until=NOW)

    assert window.recent(after(9)) == (after(-5), after(9))
    window.recent_scanned(ScanRange(after(-5), after(9)), seen_until=None)
    assert window.recent(after(10)) == (after(-5), after(10))
    window.recent_scanned(ScanRange(after(-5), after(10)), seen_until=after(10))

    assert window.recent(after(11)) == (after(5), after(11))
    assert window.start == after(5)


def test_scans_start_at_the_beginning_until_one_has_seen_all_rows() -> None:
    window = DueWindow()
    window.recent_scanned(window.recent(NOW), seen_until=None)

    assert window.backlog(after(1)) is None
    assert window.recent(after(1)) == (BEGINNING, after(1))


def test_after_a_scan_that_was_cut_short_the_window_starts_at_its_earliest_row() -> None:
    window = seen(DueWindow(), NOW)

    window.recent_scanned(window.recent(after(60)), seen_until=after(20))

    assert window.recent(after(61)) == (after(15), after(61))


def test_one_scan_starts_at_a_row_that_became_due_before_the_window() -> None:
    window = seen(DueWindow(), NOW)

    window.include(after(-3600))
    window.include(after(-60))

    assert window.start == after(-3600)
    assert window.recent(after(1)) == (after(-3600), after(1))
    assert seen(window, after(1)).recent(after(2)) == (after(-4), after(2))


def test_a_row_that_becomes_due_in_the_window_does_not_change_it() -> None:
    window = seen(DueWindow(), NOW)
    window.include(after(30))
    assert window.recent(after(1)) == (after(-5), after(1))

    unknown = DueWindow()
    unknown.include(NOW)
    assert unknown.recent(NOW) == (BEGINNING, NOW)


def test_a_clock_set_back_moves_the_window_back() -> None:
    window = seen(DueWindow(), NOW)

    assert window.recent(after(-60)) == (after(-65), after(-60))
    assert window.backlog(after(-60)) is not None


def test_the_backlog_is_scanned_every_ten_seconds() -> None:
    window = seen(DueWindow(), NOW)
    assert window.backlog(after(9)) is None
    scan = ScanRange(BEGINNING, Instant(after(-5) - 1))

    # As long as there may be more rows, the step is repeated.
    for _ in range(2):
        assert window.backlog(after(10)) == scan
        window.backlog_scanned(scan, 0, is_all=False)
    window.backlog_scanned(scan, 0, is_all=True)

    assert window.backlog(after(19)) is None
    assert window.backlog(after(20)) == scan


def scan_backlog(
    window: DueWindow, now: Instant, took: Callable[[ScanRange], int]
) -> list[ScanRange]:
    """Scan the backlog back to the beginning; return the steps."""
    steps: list[ScanRange] = []
    while (scan := window.backlog(now)) is not None:
        window.backlog_scanned(scan, took(scan), is_all=True)
        steps.append(scan)
    return steps


def test_after_a_clock_was_set_back_the_backlog_ends_now() -> None:
    window = seen(DueWindow(), after(9000))

    steps = scan_backlog(window, after(60), lambda _: 0)

    assert max(step.end for step in steps) == after(60)
    assert steps[-1].start == BEGINNING


def test_a_slow_backlog_scan_is_divided_into_short_steps_until_it_is_quick_again() -> None:
    window = seen(DueWindow(), NOW)

    def in_an_hour_of_old_rows(scan: ScanRange) -> int:
        passed = min(scan.end, after(0)) - max(scan.start, after(-3600))
        return max(0, passed) // 2000

    first, *_ = scan_backlog(window, after(10), in_an_hour_of_old_rows)
    assert first.start == BEGINNING
    steps = scan_backlog(window, after(20), in_an_hour_of_old_rows)
    assert 20 < len(steps) < 1000
    assert max(map(in_an_hour_of_old_rows, steps)) < SECOND // 20
    assert [earlier.end + 1 for earlier in steps[1:]] == [later.start for later in steps[:-1]]
    assert steps[-1].start == BEGINNING

    assert 1 < len(scan_backlog(window, after(30), lambda _: 0)) < 20
    assert len(scan_backlog(window, after(40), lambda _: 0)) == 1


def test_a_first_scan_that_was_not_answered_becomes_a_backlog_scan() -> None:
    window = DueWindow()
    window.recent(NOW)

    assert window.recent(after(10)) == (after(5), after(10))
    window.recent_scanned(ScanRange(after(5), after(10)), seen_until=after(10))

    assert window.backlog(after(11)) == (after(4), after(5) - 1)


def test_the_window_of_jobs_and_runs_starts_with_the_earlier_of_both() -> None:
    windows = DueWindows(seen(DueWindow(), after(5)), DueWindow())
    assert windows.start == BEGINNING

    seen(windows.runs, NOW)
    assert windows.start == after(-5)


def test_the_quickest_round_trip_knows_the_offset_best() -> None:
    offset = ClockOffset()
    offset.measured(0, 100_005, 10)
    assert offset.ticks == 100_000

    offset.measured(1000, 101_100, 1400)
    assert offset.ticks == 100_000

    offset.measured(2000, 102_001, 2002)
    assert offset.ticks == 100_000


def test_a_clock_that_was_set_is_measured_anew() -> None:
    offset = ClockOffset()
    offset.measured(0, 1, 2)

    offset.measured(0, 30 * SECOND + 500, 1000)

    assert offset.ticks == 30 * SECOND


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (psycopg.OperationalError("secret"), "the database cannot be reached"),
        (psycopg.ProgrammingError("secret"), "its address is not valid"),
        (psycopg.errors.LockNotAvailable("secret"), "another transaction holds what is needed"),
        (psycopg.errors.QueryCanceled("secret"), "it took too long"),
        (psycopg.errors.AdminShutdown("secret"), "the database is shutting down or starting"),
        (psycopg.errors.TooManyConnections("secret"), "the database has too many connections"),
        (psycopg.errors.InvalidPassword("secret"), "the user or the password is refused"),
        (psycopg.errors.DivisionByZero("secret"), "the database reports DivisionByZero"),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, Exception) else "",
)
def test_a_failure_is_told_in_words(failure: Exception, reason: str) -> None:
    assert reason_of(failure) == reason


@pytest.mark.parametrize(
    ("offset", "words"),
    [
        (SECOND, None),
        (2 * SECOND, "seconds=2.0"),
        (-30 * SECOND, "seconds=30.0"),
    ],
)
def test_a_clock_that_is_off_by_more_than_a_second_is_complained_of(
    offset: int, words: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        warn_of_clock_offset(offset)

    assert (words in caplog.text) if words else not caplog.text
