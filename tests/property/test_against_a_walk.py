from hypothesis import given

from tests.property.judged import occurrences_until
from tests.property.rules import Job, jobs
from tests.property.walk import walk


@given(jobs())
def test_occurrences_are_those_found_by_trying_every_day(job: Job) -> None:
    expected, horizon = walk(job)

    assert list(occurrences_until(job, horizon)) == expected
