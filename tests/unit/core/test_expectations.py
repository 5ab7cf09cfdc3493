"""Which responses a job takes for a success."""

from typing import Any

import pytest

from foliot.core.errors import Invalid
from foliot.core.model.action import Expectation
from foliot.core.rules.expectations import accepts_status, parse_statuses, unmet


@pytest.mark.parametrize(
    ("text", "ranges"),
    [
        ("204", ((204, 204),)),
        ("200-299,404", ((200, 299), (404, 404))),
        (" 200 - 204 , 999 ", ((200, 204), (999, 999))),
        (",".join(["200"] * 20), ((200, 200),) * 20),
    ],
    ids=["one", "range and one", "spaces", "as many as possible"],
)
def test_statuses_are_read_and_keep_their_text(text: str, ranges: object) -> None:
    found = parse_statuses(text)

    assert (found.text, found.ranges) == (text, ranges)


@pytest.mark.parametrize(
    "text",
    [
        *("", ",", "200,", "2xx", "ok", "20", "199", "1000", "300-200", "200-", "-200", "200--201"),
        *("200;404", "٢٠٠", "200-299-300", ",".join(["200"] * 21), "200\n,x", "9" * 10_000),
    ],
)
def test_what_is_no_list_of_statuses_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match='such as "200-299,404"') as refusal:
        parse_statuses(text)

    assert len(refusal.value.problem) < 300


@pytest.mark.parametrize(
    ("given", "status", "accepted"),
    [
        (None, 200, True),
        (None, 299, True),
        (None, 302, False),
        (None, 404, False),
        ("404", 404, True),
        ("404", 200, False),
        ("200-299,404", 250, True),
        ("302", 302, True),
    ],
)
def test_statuses_decide_in_place_of_2xx(given: str | None, status: int, accepted: object) -> None:
    expected = Expectation(statuses=None if given is None else parse_statuses(given))

    assert accepts_status(expected, status) is accepted


@pytest.mark.parametrize(
    ("expected", "status", "body", "is_cut", "problem"),
    [
        pytest.param(Expectation(body_contains="ok"), 200, "all ok", False, None, id="met"),
        pytest.param(
            *(Expectation(body_contains="ok"), 500, "ok", False),
            "the status is 500, and 200-299 is expected.",
            id="the status is checked first",
        ),
        pytest.param(
            *(Expectation(statuses=parse_statuses("404")), 200, "", False),
            "the status is 200, and 404 is expected.",
            id="another status",
        ),
        pytest.param(
            *(Expectation(body_contains='"ok"'), 200, "ok", False),
            r'the body does not contain "\"ok\"", which is expected.',
            id="another body",
        ),
        pytest.param(
            *(Expectation(body_contains="ok"), 200, "o", True),
            'the beginning of the body does not contain "ok", which is expected.',
            id="a body that was cut",
        ),
    ],
)
def test_a_response_that_is_not_as_expected_has_a_problem(
    expected: Expectation, status: int, body: str, is_cut: Any, problem: str | None
) -> None:
    assert unmet(expected, status, body, is_cut=is_cut) == problem
