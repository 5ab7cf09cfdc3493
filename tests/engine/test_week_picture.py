"""The picture of the README: a week of jobs in virtual time, with two outages and nothing lost."""

from collections import Counter
from pathlib import Path

from tests.support.week_picture import PICTURE, draw, play


def test_a_week_with_two_outages_loses_nothing_and_looks_as_the_readme_shows_it(
    tmp_path: Path,
) -> None:
    week = play(tmp_path)

    count = Counter(each.ended for lane in week.values() for each in lane)
    assert set(count) == {"succeeded", "recovered", "caught up"}
    assert draw(week) == PICTURE.read_text(), "run `make week-picture`"
