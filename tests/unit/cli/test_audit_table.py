"""What the table of `foliot audit` says of a change."""

import pytest

from foliot.cli.remote.audit import AUDIT_COLUMNS
from foliot.core.json_text import Json


@pytest.mark.parametrize(
    ("properties", "told"),
    [
        pytest.param({"collections": 1, "jobs": 45}, "1 collection; 45 jobs", id="deployment"),
        pytest.param({"runs": 1}, "1 run", id="one run"),
        pytest.param({"jobs": 0}, "", id="none"),
    ],
)
def test_a_bulk_change_is_told_by_its_numbers(properties: dict[str, Json], told: str) -> None:
    (changes,) = (each for each in AUDIT_COLUMNS if each.heading == "CHANGES")

    assert changes.text({"properties": properties}) == told
