"""Fills in values in texts, within a limit: what is filled in may be long, and may be often."""

import re
from collections.abc import Callable

from foliot.core.errors import Invalid

MAX_CHARACTERS = 100_000
_TOO_LONG = f"a text has more than {MAX_CHARACTERS} characters; a job cannot be so large."


def check_length(length: int) -> None:
    """Refuse a text that is too long for a job."""
    if length > MAX_CHARACTERS:
        raise Invalid((), _TOO_LONG)


def substitute(pattern: re.Pattern[str], text: str, write: Callable[[re.Match[str]], str]) -> str:
    """Replace what a pattern finds, as long as the result is not too long."""
    check_length(len(text))
    total = len(text)

    def counted(match: re.Match[str]) -> str:
        nonlocal total
        written = write(match)
        total += len(written)
        check_length(total)
        return written

    return pattern.sub(counted, text)
