"""A misspelt name is answered with the known one that it may mean."""

import pytest

from foliot.core.near_names import nearest, shortened

KNOWN = ["frequency", "interval", "schedule"]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        pytest.param("frequenzy", ["frequency"], id="a misspelling"),
        pytest.param("color", [], id="another word"),
        pytest.param("frequency" + "x" * 1000, [], id="a very long name"),
    ],
)
def test_the_nearest_known_name_is_found(name: str, found: list[str]) -> None:
    assert nearest(name, KNOWN) == found


def test_only_some_of_very_many_names_are_compared() -> None:
    assert nearest("frequenzy", [*(str(each) for each in range(100_000)), "frequency"]) == []


def test_a_long_name_is_shortened() -> None:
    assert shortened("a" * 61) == "a" * 60 + "..."
    assert shortened("a" * 60) == "a" * 60
