import pytest

from foliot.api.wire.clients import ANY_CLIENT, Notation, WireClient
from foliot.api.wire.duration import encode_duration, read_duration
from foliot.api.wire.json_reader import Properties
from foliot.core.errors import Invalid
from foliot.core.instant import DAY, HOUR, MINUTE, SECOND
from foliot.core.model.action import Duration


def read(text: object) -> Duration:
    return read_duration(Properties({"retryInterval": text}), "retryInterval")


@pytest.mark.parametrize(
    ("text", "ticks"),
    [
        ("PT30S", 30 * SECOND),
        ("P1D", DAY),
        ("PT1D", DAY),
        ("P1DT1D", 2 * DAY),
        ("PT1D2H", DAY + 2 * HOUR),
        ("P1M", 30 * DAY),
        ("PT1M", MINUTE),
        ("P1Y", 365 * DAY),
        ("P2W", 14 * DAY),
        ("P1Y2M3W4DT5H6M7.8901234S", 450 * DAY + 5 * HOUR + 6 * MINUTE + 78_901_234),
        ("PT0.0000001S", 1),
        ("PT0S", 0),
        ("00:00:30", 30 * SECOND),
        ("0:30", 30 * MINUTE),
        ("23:59:59", DAY - SECOND),
        ("1.00:00:00", DAY),
        ("548.00:00:00", 548 * DAY),
        ("00:00:00.5", 5_000_000),
        ("10675199.02:48:05.4775807", 2**63 - 1),
    ],
)
def test_a_duration_is_read_in_both_notations(text: str, ticks: int) -> None:
    assert read(text) == Duration(text, ticks)


@pytest.mark.parametrize(
    "value", ["", "P", "PT", "T1H", "1D", "30", "24:00:00", "1:60", "P1S", 30, 1.5, True, [], {}]
)
def test_anything_else_is_refused(value: object) -> None:
    with pytest.raises(Invalid) as refusal:
        read(value)

    assert refusal.value.path == ("retryInterval",)
    assert "ISO 8601" in refusal.value.problem


@pytest.mark.parametrize("text", ["10675199.02:48:05.4775808", "P99999999999Y"])
def test_a_duration_longer_than_clients_can_hold_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match=r"give 10675199\.02:48:05\.4775807 or less"):
        read(text)


@pytest.mark.parametrize(
    ("ticks", "iso", "span"),
    [
        (0, "PT0S", "00:00:00"),
        (SECOND, "PT1S", "00:00:01"),
        (10 * SECOND, "PT10S", "00:00:10"),
        (MINUTE, "PT1M", "00:01:00"),
        (HOUR + SECOND, "PT1H1S", "01:00:01"),
        (DAY, "P1D", "1.00:00:00"),
        (DAY + HOUR, "P1DT1H", "1.01:00:00"),
        (548 * DAY, "P548D", "548.00:00:00"),
        (1, "PT0.0000001S", "00:00:00.0000001"),
        (SECOND + 5_000_000, "PT1.5000000S", "00:00:01.5000000"),
    ],
)
def test_a_duration_is_written_in_both_notations_and_read_back(
    ticks: int, iso: str, span: str
) -> None:
    duration = Duration("as given", ticks)

    assert encode_duration(duration, ANY_CLIENT) == "as given"
    assert encode_duration(duration, WireClient(Notation.ISO)) == iso
    assert encode_duration(duration, WireClient(Notation.TIME_SPAN)) == span
    assert read(iso) == Duration(iso, ticks)
    assert read(span) == Duration(span, ticks)
