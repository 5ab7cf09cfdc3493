"""What holds for every job, whatever its calendar."""

from datetime import timedelta
from itertools import islice, pairwise

from hypothesis import given
from hypothesis import strategies as st

from foliot.core.instant import DAY, Instant, instant_of
from foliot.core.recurrence import occurrences, sentence, smallest_gap
from tests.property.judged import timetable_of
from tests.property.rules import Job, jobs


@given(jobs())
def test_the_first_is_not_before_created_and_each_is_later_than_the_last(job: Job) -> None:
    found = list(islice(occurrences(timetable_of(job)), 30))

    assert all(earlier < later for earlier, later in pairwise(found))
    assert all(each >= instant_of(job.created) for each in found[:1])


@given(jobs(), st.data())
def test_the_next_one_is_the_first_of_the_iteration_that_is_later(
    job: Job, data: st.DataObject
) -> None:
    table = timetable_of(job)
    found = list(islice(occurrences(table), 15))
    created = instant_of(job.created)
    near = st.sampled_from(found or [created]).flatmap(
        lambda each: st.sampled_from([each - 1, each, each + 1])
    )
    after = data.draw(near | st.integers(created - DAY, created + 40 * DAY))
    later = [each for each in found if each > after]

    if later:
        assert table.next_after(Instant(after)) == later[0]
    else:
        beyond = table.next_after(Instant(after))
        assert beyond is None or beyond > after


@given(jobs(), st.integers(0, 14))
def test_occurrences_do_not_depend_on_when_one_asks(job: Job, skipped: int) -> None:
    found = list(islice(occurrences(timetable_of(job)), 15))
    table = timetable_of(job)

    for earlier, later in list(pairwise(found))[skipped:]:
        assert table.next_after(earlier) == later


@given(jobs(zones=False))
def test_no_two_occurrences_are_closer_than_the_smallest_gap(job: Job) -> None:
    table = timetable_of(job)
    found = list(islice(occurrences(table), 60))
    if job.start is None:
        found = [each for each in found if each != table.opening]
    if not found:
        return  # a rule that never fires has no gap
    gap = smallest_gap(table)

    closest = min((later - earlier for earlier, later in pairwise(found)), default=None)
    assert gap is not None
    assert closest is None or timedelta(microseconds=closest // 10) >= gap


@given(jobs())
def test_every_rule_can_be_told_in_words(job: Job) -> None:
    text = sentence(timetable_of(job))

    assert text.startswith(("Every ", "At "))
    assert "  " not in text
