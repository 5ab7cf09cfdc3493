"""Text from a server, safe for a terminal: what controls a terminal is shown, not obeyed."""

import re

# Control characters, and those that change the direction in which text is read.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """Return a text with controls as their codes; line breaks and tabs stay."""
    return _CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


def one_line(text: str) -> str:
    """Return a text as one line."""
    return printable(" ".join(text.split()))
