"""cronsim as an oracle of cron expressions, where its meaning is the same.

cronsim reads expressions as Debian's cron does. At a fixed hour and minute a time that the clock
skips runs after the gap, and one that it shows twice runs the first time: our default. Where the
field of minutes or hours begins with a star, it follows elapsed time: what the clock skips does not
run, and what it shows twice runs twice. That is a policy of ours. It then goes by whole hours, and
so misses the rest of an hour in which the clock is put forward, as on the Chatham Islands.
"""

from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError
from hypothesis import assume, given
from hypothesis import strategies as st

from foliot.core.instant import Moment, instant_of
from foliot.core.recurrence import (
    Cron,
    DstPolicy,
    Recurrence,
    RepeatedTime,
    SkippedTime,
    Timetable,
    occurrences,
)
from tests.property.cron_expressions import Expression, expressions
from tests.property.judged import moment_of

CHATHAM = "Pacific/Chatham"
ZONES = ("America/New_York", "Europe/Prague", "Australia/Sydney", CHATHAM, "Asia/Kolkata")
# Shortly before clocks are put forward or back somewhere in these zones.
CHANGES = [
    datetime(*day, tzinfo=UTC)
    for day in (
        *((2026, 3, 7), (2026, 11, 1), (2026, 3, 28), (2026, 10, 24), (2026, 4, 4)),
        *((2026, 10, 3), (2026, 9, 26), (2024, 2, 28), (2026, 12, 31)),
    )
]
ELAPSED_TIME = DstPolicy(skipped=SkippedTime.SKIP, repeated=RepeatedTime.BOTH)
COMPARED = 40
YEARS = timedelta(days=4 * 365)


@given(expressions(), st.sampled_from(ZONES), st.sampled_from(CHANGES), st.integers(0, 48 * 60))
def test_occurrences_of_an_expression_are_those_of_cronsim(
    expression: Expression, zone: str, change: datetime, minutes: int
) -> None:
    start = change + timedelta(minutes=minutes)
    minute, hour, *_ = expression.text.split()
    is_fixed = not (minute.startswith("*") or hour.startswith("*"))
    zone = zone if is_fixed or zone != CHATHAM else "Europe/London"
    table = timetable(expression.text, zone, start, None if is_fixed else ELAPSED_TIME)
    expected = by_cronsim(expression.text, zone, start)

    found = list(islice(map(moment_of, occurrences(table)), COMPARED + 1))

    # One at the start itself is ours alone: cronsim looks for later ones.
    assert [each for each in found if each > start][: len(expected)] == expected


@given(expressions(), st.sampled_from(CHANGES), st.integers(0, 10 * 366 * 24 * 60))
def test_occurrences_in_utc_are_those_of_cronsim(
    expression: Expression, near: datetime, minutes: int
) -> None:
    start = near + timedelta(minutes=minutes)
    expected = by_cronsim(expression.text, "UTC", start)

    table = timetable(expression.text, None, start, None)

    found = list(islice(map(moment_of, occurrences(table)), COMPARED + 1))
    assert [each for each in found if each > start][: len(expected)] == expected


def timetable(text: str, zone: str | None, start: datetime, dst: DstPolicy | None) -> Timetable:
    rule = Recurrence(cron=Cron(text), time_zone=zone, dst=dst)
    return Timetable.of(rule, Moment.at(instant_of(start)), instant_of(start))


def by_cronsim(text: str, zone: str, start: datetime) -> list[datetime]:
    local = start if zone == "UTC" else start.astimezone(ZoneInfo(zone))
    try:
        simulated = CronSim(text, local)
    except CronSimError as error:
        # It refuses some expressions that never fire; no other is refused.
        assume("day-of-month" not in str(error))
        raise
    found: list[datetime] = []
    for each in simulated:
        moment = each.astimezone(UTC)
        if moment > start + YEARS or len(found) == COMPARED:
            break
        # At a fixed time it takes a start in the second of two equal hours for one in the first.
        if moment > start:
            found.append(moment)
    return found
