"""Messages of history, the reason first."""

import pytest

from foliot.portal.reason_first import reason_first

_RESPONSE = "Http Action - Response from host 'h': 'NotFound' "


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param(
            _RESPONSE + "Response Headers: A: 1\r\nB: 2\r\n Body: gone",
            "NotFound: gone (headers: A: 1; B: 2)",
            id="a response",
        ),
        pytest.param(_RESPONSE + "Response Headers:  Body: ", "NotFound", id="nothing else"),
        pytest.param(
            _RESPONSE + "Expectation failed: the body is wrong. Response Headers:  Body: well",
            "NotFound: the body is wrong. well",
            id="an expectation",
        ),
        pytest.param(
            "Http Action - Request to host 'h' failed: ConnectFailure Connection refused",
            "ConnectFailure: Connection refused",
            id="no response",
        ),
        pytest.param("Skipped.", "Skipped.", id="a note"),
    ],
)
def test_the_reason_stands_first(message: str, expected: str) -> None:
    assert reason_first(message) == expected
