"""Responses that a job expects, and those it does not."""

import gzip

import pytest

from foliot.core.model.action import Expectation
from foliot.core.model.attempt import Outcome
from foliot.core.model.reason import Reason
from foliot.core.rules.expectations import SEARCHED_BYTES, parse_statuses
from tests.contract.dispatch.target import answer, redirect, target
from tests.support.dispatch_harness import a_request, dispatcher, outcome_of, run
from tests.support.history_parser import details_of

BEGINNING = "Http Action - Response from host '127.0.0.1': "


def expecting(statuses: str | None = None, body: str | None = None) -> Expectation:
    given = None if statuses is None else parse_statuses(statuses)
    return Expectation(statuses=given, body_contains=body)


def outcome_for(response: bytes, expected: Expectation | None, path: str = "/") -> Outcome:
    async def steps() -> Outcome:
        async with target({"/": response, "/on": answer()}) as server:
            return await outcome_of(server.url(path), expect=expected)

    return run(steps())


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        pytest.param(answer("404 Not Found"), expecting("404"), id="status"),
        pytest.param(answer(body=b"all ok"), expecting(body="ok"), id="body"),
        pytest.param(answer("500 Oops", b"ok"), expecting("200,500", "ok"), id="both"),
        pytest.param(
            answer(body="grün".encode("latin-1"), Content_Type="text/plain; charset=latin1"),
            expecting(body="grün"),
            id="by the charset of the body",
        ),
        pytest.param(
            answer(body=gzip.compress(b"all ok"), Content_Encoding="gzip"),
            expecting(body="ok"),
            id="compressed",
        ),
        pytest.param(
            answer(body=b"x" * (SEARCHED_BYTES - 2) + b"ok" + b"x" * 100_000),
            expecting(body="ok"),
            id="at the end of what is searched",
        ),
    ],
)
def test_a_response_as_expected_is_a_success(response: bytes, expected: Expectation) -> None:
    outcome = outcome_for(response, expected)

    assert (outcome.succeeded, outcome.reason) == (True, None)
    assert "Expectation" not in outcome.message


@pytest.mark.parametrize(
    ("response", "expected", "message"),
    [
        pytest.param(
            answer(),
            expecting("201,404"),
            "'OK' Expectation failed: the status is 200, and 201,404 is expected. "
            "Response Headers: Content-Length: 4\r\n Body: fine",
            id="status",
        ),
        pytest.param(
            answer(),
            expecting(body="ok"),
            "'OK' Expectation failed: the body does not contain \"ok\", which is expected. "
            "Response Headers: Content-Length: 4\r\n Body: fine",
            id="body",
        ),
        pytest.param(
            answer("503 Oops"),
            expecting(body="fine"),
            "'ServiceUnavailable' Expectation failed: the status is 503, and 200-299 is expected. "
            "Response Headers: Content-Length: 4\r\n Body: fine",
            id="the status of a response with the expected body",
        ),
    ],
)
def test_the_message_says_what_was_expected_and_what_came(
    response: bytes, expected: Expectation, message: str
) -> None:
    outcome = outcome_for(response, expected)

    assert (outcome.succeeded, outcome.reason) == (False, Reason.EXPECTATION_FAILED)
    assert outcome.message == BEGINNING + message
    assert details_of(outcome.message).destination == ("127.0.0.1",)


def test_what_stands_behind_the_searched_part_is_not_found() -> None:
    body = b"x" * SEARCHED_BYTES + b"ok"

    outcome = outcome_for(answer(body=body), expecting(body="ok"))

    assert outcome.reason is Reason.EXPECTATION_FAILED
    assert 'the beginning of the body does not contain "ok"' in outcome.message
    assert outcome.message.endswith(f" Body: {'x' * 2048}")
    assert not outcome.message.endswith("x" * 2049)


def test_history_keeps_its_own_limit_of_a_body_as_expected() -> None:
    outcome = outcome_for(answer(body=b"ok" + b"x" * 5000), expecting(body="ok"))

    assert outcome.message.endswith(f" Body: ok{'x' * 2046}")


@pytest.mark.parametrize(
    ("expected", "paths", "status"),
    [
        pytest.param(None, ["/", "/on"], 200, id="nothing expected"),
        pytest.param(expecting(body="fine"), ["/", "/on"], 200, id="no status expected"),
        pytest.param(expecting("200"), ["/", "/on"], 200, id="another status"),
        pytest.param(expecting("301"), ["/", "/on"], 200, id="another redirect"),
        pytest.param(expecting("302"), ["/"], 302, id="this redirect"),
        pytest.param(expecting("200-399"), ["/"], 302, id="a range with this redirect"),
    ],
)
def test_an_expected_redirect_is_not_followed(
    expected: Expectation | None, paths: list[str], status: int
) -> None:
    async def steps() -> tuple[list[str], int | None]:
        async with target({"/": redirect("/on")}) as server, dispatcher() as opened:
            outcome = await opened.dispatch(a_request(server.url(), expect=expected))
            return server.paths, outcome.status_code

    assert run(steps()) == (paths, status)


def test_a_secret_in_the_expected_text_is_hidden_like_in_the_response() -> None:
    async def steps() -> str:
        async with target() as server:
            headers = {"X-Api-Key": "pa55-w0rd"}
            expected = expecting(body="pa55-w0rd")
            return (await outcome_of(server.url(), headers=headers, expect=expected)).message

    assert "pa55-w0rd" not in run(steps())


def test_a_target_that_asks_for_a_pause_gets_it_when_it_is_not_as_expected() -> None:
    outcome = outcome_for(answer("503 Busy", Retry_After="7"), expecting("200"))

    assert outcome.retry_after == 70_000_000
