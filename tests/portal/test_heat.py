"""The week by hour: counted by steps or one by one, the result is the same."""

from typing import Any

import pytest

from foliot.api.wire.calendar import decode_recurrence, decode_start
from foliot.api.wire.reader import Properties
from foliot.core.ids import CollectionId
from foliot.core.instant import HOUR, Instant, parse_instant
from foliot.core.lifecycle import Revision, create
from foliot.core.model import Definition
from foliot.core.watch import ComingJob
from foliot.portal import heat as heat_module
from foliot.portal.heat import HOURS, heat, in_hour
from tests.model_builders import DEFINITION, a_collection

NOW = parse_instant("2026-01-10T00:30:00Z")
BEGIN = parse_instant("2026-01-10T00:00:00Z")


def coming(start: str | None = None, **recurrence: Any) -> ComingJob:
    given = Properties({"recurrence": recurrence or None, "startTime": start})
    definition = Definition(
        action=DEFINITION.action, start=decode_start(given), recurrence=decode_recurrence(given)
    )
    job = create(CollectionId(1), "a", Revision(definition), NOW)
    return ComingJob(a_collection(), job)


def walked(each: ComingJob) -> list[int]:
    """Count by going through every run."""
    hours = [0] * HOURS
    end = Instant(BEGIN + HOURS * HOUR)
    for at in heat_module._runs(each.job, end):  # noqa: SLF001  (what the shortcut must agree with)
        hours[(at - BEGIN) // HOUR] += 1
    return hours


@pytest.mark.parametrize(
    "each",
    [
        pytest.param(coming(frequency="minute"), id="every minute"),
        pytest.param(coming(frequency="minute", interval=7), id="every 7 minutes"),
        pytest.param(coming(frequency="minute", interval=60), id="every 60 minutes"),
        pytest.param(coming(frequency="minute", interval=61), id="every 61 minutes"),
        pytest.param(coming(frequency="hour", interval=5), id="every 5 hours"),
        pytest.param(
            coming("2026-01-12T10:00:00Z", frequency="minute", interval=9), id="from later on"
        ),
        pytest.param(
            coming("2026-01-10T00:59:59.9999999Z", frequency="minute", interval=3), id="at an edge"
        ),
        pytest.param(coming("2027-01-10T00:00:00Z", frequency="hour"), id="after the week"),
    ],
)
def test_equal_steps_are_counted_as_if_they_were_gone_through(each: ComingJob) -> None:
    assert heat([each], BEGIN).hours == walked(each)


def test_jobs_are_added_up() -> None:
    daily = coming("2026-01-01", frequency="day", schedule={"hours": [5], "minutes": [0, 30]})
    limited = coming(frequency="hour", count=3)
    once = coming("2026-01-10T05:10:00Z")

    found = heat([daily, limited, once], BEGIN)

    assert found.is_whole
    assert found.hours[:6] == [1, 1, 1, 0, 0, 3]
    assert sum(found.hours) == 7 * 2 + 3 + 1


def test_counting_ends_with_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heat_module, "_BUDGET", 10)
    often = coming("2026-01-01", frequency="day", schedule={"hours": list(range(24))})

    found = heat([often, often], BEGIN)

    assert not found.is_whole
    assert sum(found.hours) == 10


def test_the_jobs_of_an_hour_are_told_with_their_first_run() -> None:
    begin = parse_instant("2026-01-10T05:00:00Z")
    often = coming("2026-01-10T00:50:00Z", frequency="minute", interval=20)
    at_half = coming("2026-01-01", frequency="day", schedule={"hours": [5], "minutes": [5]})
    later = coming("2026-01-10T06:00:00Z")

    found = in_hour([often, at_half, later], begin)

    assert [(each.coming, each.first - begin, each.count) for each in found] == [
        (at_half, 5 * HOUR // 60, 1),
        (often, 10 * HOUR // 60, 3),
    ]
