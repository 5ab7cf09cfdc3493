"""The parts of the PostgreSQL store that need no PostgreSQL."""

import logging
from collections.abc import Callable

import psycopg
import pytest

from foliot.core.instant import SECOND, Instant
from foliot.serve.heartbeat import complain_of_clock
from foliot.store.postgres.clock_offset import Offset
from foliot.store.postgres.due_window import BEGINNING, Floor, Floors, Span
from foliot.store.postgres.errors import reason_of
from tests.support.builders import NOW


def after(seconds: int) -> Instant:
    return Instant(NOW + seconds * SECOND)


def seen(floor: Floor, now: Instant) -> Floor:
    """Look at all that is recent, and find all there is."""
    floor.looked(floor.recent(now), seen_until=now)
    return floor


def test_looks_begin_seconds_before_the_last_that_saw_all() -> None:
    floor = Floor()
    assert floor.recent(NOW) == (BEGINNING, NOW)
    assert floor.known == BEGINNING
    floor.looked(Span(BEGINNING, NOW), seen_until=NOW)

    assert floor.recent(after(9)) == (after(-5), after(9))
    floor.looked(Span(after(-5), after(9)), seen_until=None)
    assert floor.recent(after(10)) == (after(-5), after(10))
    floor.looked(Span(after(-5), after(10)), seen_until=after(10))

    assert floor.recent(after(11)) == (after(5), after(11))
    assert floor.known == after(5)


def test_as_long_as_not_all_was_seen_looks_begin_at_the_beginning() -> None:
    floor = Floor()
    floor.looked(floor.recent(NOW), seen_until=None)

    assert floor.behind(after(1)) is None
    assert floor.recent(after(1)) == (BEGINNING, after(1))


def test_of_a_look_that_did_not_see_all_the_earliest_tells_where_to_begin() -> None:
    floor = seen(Floor(), NOW)

    floor.looked(floor.recent(after(60)), seen_until=after(20))

    assert floor.recent(after(61)) == (after(15), after(61))


def test_a_clock_set_back_lowers_the_floor() -> None:
    floor = seen(Floor(), NOW)

    assert floor.recent(after(-60)) == (after(-65), after(-60))
    assert floor.behind(after(-60)) is not None


def test_what_lies_behind_is_looked_at_every_ten_seconds() -> None:
    floor = seen(Floor(), NOW)
    assert floor.behind(after(9)) is None
    span = Span(BEGINNING, Instant(after(-5) - 1))

    # As long as there may be more, it is looked for again.
    for _ in range(2):
        assert floor.behind(after(10)) == span
        floor.looked_behind(span, 0, is_all=False)
    floor.looked_behind(span, 0, is_all=True)

    assert floor.behind(after(19)) is None
    assert floor.behind(after(20)) == span


def walk_back(floor: Floor, now: Instant, took: Callable[[Span], int]) -> list[Span]:
    """Walk back to the beginning; return the steps."""
    steps: list[Span] = []
    while (span := floor.behind(now)) is not None:
        floor.looked_behind(span, took(span), is_all=True)
        steps.append(span)
    return steps


def test_a_walk_that_is_slow_is_made_in_short_steps_until_it_is_quick_again() -> None:
    floor = seen(Floor(), NOW)

    def in_an_hour_of_old_rows(span: Span) -> int:
        passed = min(span.end, after(0)) - max(span.begin, after(-3600))
        return max(0, passed) // 2000

    first, *_ = walk_back(floor, after(10), in_an_hour_of_old_rows)
    assert first.begin == BEGINNING
    steps = walk_back(floor, after(20), in_an_hour_of_old_rows)
    assert 20 < len(steps) < 1000
    assert max(map(in_an_hour_of_old_rows, steps)) < SECOND // 20
    assert [earlier.end + 1 for earlier in steps[1:]] == [later.begin for later in steps[:-1]]
    assert steps[-1].begin == BEGINNING

    assert 1 < len(walk_back(floor, after(30), lambda _: 0)) < 20
    assert len(walk_back(floor, after(40), lambda _: 0)) == 1


def test_a_first_look_that_was_not_answered_becomes_a_walk() -> None:
    floor = Floor()
    floor.recent(NOW)

    assert floor.recent(after(10)) == (after(5), after(10))
    floor.looked(Span(after(5), after(10)), seen_until=after(10))

    assert floor.behind(after(11)) == (after(4), after(5) - 1)


def test_what_is_due_next_may_be_a_job_or_a_run() -> None:
    floors = Floors(seen(Floor(), after(5)), Floor())
    assert floors.known == BEGINNING

    seen(floors.runs, NOW)
    assert floors.known == after(-5)


def test_the_quickest_round_trip_knows_the_offset_best() -> None:
    offset = Offset()
    offset.measured(0, 100_005, 10)
    assert offset.ticks == 100_000

    offset.measured(1000, 101_100, 1400)
    assert offset.ticks == 100_000

    offset.measured(2000, 102_001, 2002)
    assert offset.ticks == 100_000


def test_a_clock_that_was_set_is_measured_anew() -> None:
    offset = Offset()
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
        complain_of_clock(offset)

    assert (words in caplog.text) if words else not caplog.text
