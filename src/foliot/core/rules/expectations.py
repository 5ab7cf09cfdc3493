"""Decides whether a response is a success: by its status, or by what the job expects."""

import re

from foliot.core.errors import Invalid, shown
from foliot.core.model.action import Expectation, Statuses

# At least this much of a body is searched.
SEARCHED_BYTES = 64 * 1024
MAX_TEXT_CHARACTERS = 1000

_SUCCESSES = Statuses("200-299", ((200, 299),))
_RANGE = re.compile(r"\s*([2-9][0-9]{2})(?:\s*-\s*([2-9][0-9]{2}))?\s*", re.ASCII)
_MAX_RANGES = 20


def parse_statuses(text: str) -> Statuses:
    """Read statuses such as `200-299,404`."""
    found = [_RANGE.fullmatch(part) for part in text.split(",", maxsplit=_MAX_RANGES)]
    ranges = [(int(each[1]), int(each[2] or each[1])) for each in found if each is not None]
    is_read = len(ranges) == len(found) <= _MAX_RANGES
    if not is_read or any(low > high for low, high in ranges):
        raise Invalid(
            (),
            f"{shown(text)} is not valid; give up to {_MAX_RANGES} statuses or ranges from 200 to "
            '999, such as "200-299,404".',
        )
    return Statuses(text, tuple(ranges))


def accepts_status(expected: Expectation | None, status: int) -> bool:
    """Tell whether a status is a success, or one that a job expects."""
    return any(low <= status <= high for low, high in _statuses(expected).ranges)


def unmet(expected: Expectation, status: int, body: str, *, is_cut: bool) -> str | None:
    """Say what a job expects and a response is not, or None; a body that is cut is a beginning."""
    if not accepts_status(expected, status):
        return f"the status is {status}, and {_statuses(expected).text} is expected."
    wanted = expected.body_contains
    if wanted is None or wanted in body:
        return None
    searched = "the beginning of the body" if is_cut else "the body"
    return f"{searched} does not contain {shown(wanted)}, which is expected."


def _statuses(expected: Expectation | None) -> Statuses:
    return (expected and expected.statuses) or _SUCCESSES
