"""Reads the text of a template: JSON in which comments are allowed."""

import re

from foliot.core.errors import Invalid
from foliot.core.json_text import Json, parse_json

# The possessive quantifiers never go back: the time grows with the length of the text alone.
_CODE = rb'(?:[^"/]++|"(?:[^"\\]++|\\.)*+"|/(?![/*]))++'
_COMMENTS = rb"(?:(?://[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)\s*+)++"
_PART = re.compile(rb"(?P<code>" + _CODE + rb")|(?P<comments>" + _COMMENTS + rb")", re.DOTALL)
_MOST_COMMENTS = 100_000


def parse_template(text: bytes) -> Json:
    """Read a template or a parameter file: JSON with `//` and `/* */`, strictly otherwise."""
    if b"//" not in text and b"/*" not in text:
        return parse_json(text)
    parts: list[bytes] = []
    position = 0
    for match in _PART.finditer(text):
        if match.start() != position:
            break
        if len(parts) > 2 * _MOST_COMMENTS:
            raise Invalid((), f"the text has more than {_MOST_COMMENTS} comments; leave some out.")
        code = match["code"]
        parts.append(_blank(match["comments"]) if code is None else code)
        position = match.end()
    return parse_json(b"".join([*parts, text[position:]]))


def _blank(comments: bytes) -> bytes:
    """Replace comments so that a message about what follows names the right line and column."""
    return b"\n" * comments.count(b"\n") + b" " * len(comments.rpartition(b"\n")[2])
