"""Recurrences as they lie in databases."""

import msgspec

from foliot.core.instant import Instant, Moment
from foliot.core.recurrence import (
    Cron,
    DayOffMove,
    DstPolicy,
    Exclusion,
    Frequency,
    Recurrence,
    RepeatedTime,
    Schedule,
    parse_dates,
)


def test_a_rule_from_before_cron_is_read_as_it_was() -> None:
    stored = {
        "frequency": "month",
        "interval": 2,
        "count": None,
        "end": {"wall": 5, "offset": 0},
        "schedule": {
            "minutes": [0],
            "hours": [],
            "week_days": [],
            "month_days": [-1],
            "monthly_occurrences": [],
            "months": [],
        },
        "time_zone": "Europe/Prague",
    }

    found = msgspec.msgpack.decode(msgspec.msgpack.encode(stored), type=Recurrence)

    assert found == Recurrence(
        frequency=Frequency.MONTH,
        interval=2,
        end=Moment.at(Instant(5)),
        schedule=Schedule(minutes=(0,), month_days=(-1,)),
        time_zone="Europe/Prague",
    )


def test_a_rule_with_all_extensions_is_stored_and_read() -> None:
    rule = Recurrence(
        cron=Cron(" @daily "),
        time_zone="Europe/Prague",
        dst=DstPolicy(repeated=RepeatedTime.BOTH),
        exclude=Exclusion(dates=(parse_dates("2026-12-24/2027-01-01"),), then=DayOffMove.PREVIOUS),
    )

    assert msgspec.msgpack.decode(msgspec.msgpack.encode(rule), type=Recurrence) == rule
