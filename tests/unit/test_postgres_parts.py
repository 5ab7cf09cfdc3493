"""The parts of the PostgreSQL store that need no PostgreSQL."""

import logging

import psycopg
import pytest

from foliot.core.instant import MINUTE, SECOND, Instant
from foliot.serve.presence import complain_of_clock
from foliot.store.postgres.errors import reason_of
from foliot.store.postgres.floor import BEGINNING, Floor, Floors
from foliot.store.postgres.offset import Offset
from tests.model_builders import NOW


def after(seconds: int) -> Instant:
    return Instant(NOW + seconds * SECOND)


def test_most_looks_begin_a_minute_before_all_was_seen() -> None:
    floor = Floor()
    assert floor.at(NOW) == BEGINNING

    floor.looked(NOW, BEGINNING, is_all=True)

    assert floor.at(after(9)) == NOW - MINUTE
    assert floor.known == NOW - MINUTE


@pytest.mark.parametrize("later", [10, -1], ids=["after ten seconds", "with a clock set back"])
def test_a_look_goes_back_to_the_beginning(later: int) -> None:
    floor = Floor()
    floor.looked(NOW, BEGINNING, is_all=True)

    assert floor.at(after(later)) == BEGINNING


def test_while_there_is_more_than_was_found_all_looks_begin_at_the_beginning() -> None:
    floor = Floor()
    floor.looked(NOW, BEGINNING, is_all=True)
    floor.looked(after(1), Instant(NOW - MINUTE), is_all=False)
    assert floor.at(after(2)) == NOW - MINUTE

    floor.looked(after(10), BEGINNING, is_all=False)

    assert floor.at(after(11)) == BEGINNING


def test_what_is_due_next_may_be_a_job_or_a_run() -> None:
    floors = Floors(Floor(), Floor())
    floors.jobs.looked(after(5), BEGINNING, is_all=True)
    assert floors.known == BEGINNING

    floors.runs.looked(NOW, BEGINNING, is_all=True)
    assert floors.known == NOW - MINUTE


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
        (2 * SECOND, "2.0 s behind the database's"),
        (-30 * SECOND, "30.0 s ahead of the database's"),
    ],
)
def test_a_clock_that_is_off_by_more_than_a_second_is_complained_of(
    offset: int, words: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        complain_of_clock(offset)

    assert (words in caplog.text) if words else not caplog.text
