"""The text of a template: JSON in which comments are allowed."""

from typing import Any

import pytest

from foliot.core.errors import Invalid
from foliot.templates import parse_template

READ: dict[str, tuple[str, Any]] = {
    "no comments": ('{"a": 1}', {"a": 1}),
    "comments to the end of the line": ('// first\n{"a": 1} // last', {"a": 1}),
    "comments over several lines": ('{/* a\n * b */"a": /**/ 1}', {"a": 1}),
    "comments in strings": (
        '{"a": "https://x/*y*/", "b": "\\"// no"}',
        {"a": "https://x/*y*/", "b": '"// no'},
    ),
    "a slash in a string beside a comment": ('{"a": "/"} // "', {"a": "/"}),
    "a byte order mark": ('\ufeff// a\n{"a": 1}', {"a": 1}),
    "letters of several bytes": ('{"ä": "ö"} // ü', {"ä": "ö"}),
}

REFUSED = {
    "nothing but a comment": ("// a", "the text is empty"),
    "an open comment": ('{"a": 1} /* b', "line 1, column 10"),
    "a wrong line after a comment": ('/* a\n\n */\n{"a": x}', "line 4, column 7"),
    "a lone slash": ('{"a": / 1}', "line 1, column 7"),
    "a name twice": ('{"a": 1, /**/ "a": 2}', 'the name "a" twice'),
    "NaN": ('{"a": NaN} //', "NaN is not a JSON number"),
    "deep nesting": ("[" * 100 + "]" * 100 + "//", "nested too deeply"),
    "very deep nesting": ("[" * 1_000_000, "nested too deeply"),
    "an open string": ('{"a": "b // c', "Unterminated string"),
    "nothing": ("", "the text is empty"),
}


@pytest.mark.parametrize(("text", "document"), READ.values(), ids=READ)
def test_a_template_is_read(text: str, document: Any) -> None:
    assert parse_template(text.encode()) == document


@pytest.mark.parametrize(("text", "problem"), REFUSED.values(), ids=REFUSED)
def test_a_text_that_is_no_template_is_refused(text: str, problem: str) -> None:
    with pytest.raises(Invalid, match=problem):
        parse_template(text.encode())


def test_a_text_that_is_not_utf_8_is_refused() -> None:
    with pytest.raises(Invalid, match="not UTF-8: byte 9"):
        parse_template(b'// a\n{"a": "\xff"}')
