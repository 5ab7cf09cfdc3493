"""Escapes invisible characters in text that users and targets supply."""

import re

# Control characters except tab and line feed, zero-width characters, direction overrides,
# line separators, and code points that are no characters.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\ud800-\udfff]"
)
# A lone carriage return would overwrite the line in a terminal.
_LONE_RETURN = re.compile(r"\r(?!\n)")


def visible(text: object) -> str:
    """Return the text with invisible characters as visible escapes."""
    return _LONE_RETURN.sub(r"\\r", _INVISIBLE.sub(_escape, str(text)))


def _escape(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape", "surrogatepass").decode()
