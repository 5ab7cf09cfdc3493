"""Reads the text of a template: JSON in which comments are allowed."""

import re

from foliot.core.json_text import Json, parse_json

# The possessive quantifiers never go back: the time grows with the length of the text alone.
_CODE = rb'(?:[^"/]++|"(?:[^"\\]++|\\.)*+"|/(?![/*]))++'
_COMMENTS = rb"(?:(?://[^\r\n]*+|/\*(?:[^*]++|\*(?!/))*+\*/)\s*+)++"
_PART = re.compile(rb"(?P<code>" + _CODE + rb")|(?P<comments>" + _COMMENTS + rb")", re.DOTALL)
_NOT_A_LINE_END = re.compile(rb"[^\r\n]")


def parse_template(text: bytes) -> Json:
    """Read a template or a parameter file: JSON with `//` and `/* */`, strictly otherwise."""
    if b"//" not in text and b"/*" not in text:
        return parse_json(text)
    parts: list[bytes] = []
    position = 0
    for match in _PART.finditer(text):
        if match.start() != position:
            break
        # Line breaks stay, so that a message names the right line.
        code, comments = match["code"], match["comments"]
        parts.append(_NOT_A_LINE_END.sub(b" ", comments) if code is None else code)
        position = match.end()
    return parse_json(b"".join([*parts, text[position:]]))
