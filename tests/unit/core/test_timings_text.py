"""Timings of attempts as the text that history keeps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foliot.core.model.exchange import Timings
from foliot.core.rules.timings_text import read_timings, write_timings

SECONDS = st.integers(0, 10**10).map(lambda microseconds: microseconds / 1_000_000)


@given(
    st.builds(
        Timings,
        name_lookup=st.none() | SECONDS,
        connect=st.none() | SECONDS,
        tls=st.none() | SECONDS,
        first_byte=st.none() | SECONDS,
        total=SECONDS,
    )
)
def test_timings_are_read_back_to_the_microsecond(timings: Timings) -> None:
    assert read_timings(write_timings(timings)) == timings


def test_a_request_over_an_open_connection_takes_few_bytes() -> None:
    assert write_timings(Timings(first_byte=0.000812, total=0.00083)) == ",,,812,830"


@pytest.mark.parametrize("text", [None, "", ",,,,", "1,2,3,4", "1,2,3,4,5,6", "a,,,,1", "-1,,,,1"])
def test_a_text_of_another_version_has_no_timings(text: str | None) -> None:
    assert read_timings(text) is None
