"""How often a job will run before an instant."""

from msgspec.structs import replace

from foliot.core.ids import CollectionId
from foliot.core.instant import Instant
from foliot.core.recurrence import Frequency, Recurrence, zone
from foliot.core.rules.lifecycle import Revision, create
from foliot.core.rules.run_counts import runs_before
from tests.support.builders import DEFINITION, NOW, at


def test_runs_of_a_count_are_found_without_a_look_at_the_years_after_them() -> None:
    rule = Recurrence(frequency=Frequency.WEEK, interval=1, count=500, time_zone="Europe/Prague")
    revision = Revision(replace(DEFINITION, start=None, recurrence=rule))
    job = create(CollectionId(1), "job", revision, NOW)
    looked_before = zone._changes_in.cache_info().misses  # noqa: SLF001  (nothing else tells)

    assert runs_before(job, at("9990-01-01")) == [500]
    assert zone._changes_in.cache_info().misses - looked_before < 100  # noqa: SLF001


def test_runs_before_each_of_some_instants_are_counted_up_to_the_count() -> None:
    rule = Recurrence(frequency=Frequency.YEAR, interval=1, count=30)
    revision = Revision(replace(DEFINITION, start=None, recurrence=rule))
    job = create(CollectionId(1), "job", revision, NOW)
    years = (0, 1, 10, 29, 30, 31, 7000)

    ends = [Instant(at(f"{2026 + year}-01-10") + 1) for year in years]

    assert runs_before(job, *ends) == [1, 2, 11, 30, 30, 30, 30]
