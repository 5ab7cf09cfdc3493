"""Form fields: from JSON to values and back, and the parsing of posted forms."""

from typing import Any

import pytest

from foliot.core.errors import Invalid
from foliot.portal.forms.fields import (
    Choice,
    Field,
    FormSchema,
    Kind,
    field_of,
    read_values,
    write_body,
)
from foliot.portal.forms.posted import Form, parse_form

A_SCHEMA = FormSchema(
    (
        Field("kind"),
        Field("a.b.text"),
        Field("a.b.number", Kind.INTEGER),
        Field("a.list", Kind.INTEGERS, "kind", frozenset({"x"})),
        Field("a.flag", Kind.BOOLEAN),
        Field("a.words", Kind.WORDS),
        Field("a.lines", Kind.LINES),
        Field("a.pairs", Kind.PAIRS),
    ),
    (Choice("kind", removes="a"),),
)


@pytest.mark.parametrize(
    ("pairs", "was", "body"),
    [
        pytest.param([], {}, {}, id="nothing"),
        pytest.param([("a.b.text", "t")], {}, {"a": {"b": {"text": "t"}}}, id="made around it"),
        pytest.param([("a.b.text", "")], {"a": {"b": {"text": "t"}}}, {}, id="emptied around it"),
        pytest.param(
            [("a.b.text", "")], {"a": {"b": {"text": ""}}}, {"a": {"b": {"text": ""}}}, id="kept"
        ),
        pytest.param(
            [("a.b.number", " 7 ")], {"a": {"b": 5}}, {"a": {"b": {"number": 7}}}, id="replaced"
        ),
        pytest.param(
            [("kind", "x"), ("a.list", "3"), ("a.list:more", "x 3")],
            {"kind": "x", "a": {"list": [1]}},
            {"kind": "x", "a": {"list": [3, "x"]}},
            id="what is no number is left to the API",
        ),
        pytest.param(
            [("kind", "x"), ("a.list", "1"), ("a.list:more", "2")],
            {"kind": "x", "a": {"list": [2, 1]}},
            {"kind": "x", "a": {"list": [2, 1]}},
            id="the order is kept",
        ),
        pytest.param([("kind", "y"), ("a.list", "3")], {}, {"kind": "y"}, id="does not count"),
        pytest.param([("kind", "")], {"kind": "x", "a": {"other": 1}}, {}, id="removed with it"),
        pytest.param([("a.flag", "false")], {}, {"a": {"flag": False}}, id="no"),
        pytest.param(
            [("a.words", "p"), ("a.words", "q")], {}, {"a": {"words": ["p", "q"]}}, id="words"
        ),
        pytest.param([], "no object", {}, id="no object at all"),
        pytest.param(
            [("a.b.text", "xy")],
            {"a": {"b": {"text": "x\r\ny"}}},
            {"a": {"b": {"text": "x\r\ny"}}},
            id="a line end in one line",
        ),
        pytest.param(
            [("a.lines", "x\ny\nz")],
            {"a": {"lines": "x\r\ny\rz"}},
            {"a": {"lines": "x\r\ny\rz"}},
            id="line ends",
        ),
        pytest.param(
            [("a.lines", "x\n\ny")],
            {"a": {"lines": "x\ny"}},
            {"a": {"lines": "x\n\ny"}},
            id="another line",
        ),
        pytest.param(
            [
                ("a.pairs:name", "p"),
                ("a.pairs:value", "12"),
                ("a.pairs:name", "q"),
                ("a.pairs:value", "new"),
            ],
            {"a": {"pairs": {"p": "1\n2", "q": "old"}}},
            {"a": {"pairs": {"p": "1\n2", "q": "new"}}},
            id="only the pair that changed",
        ),
        pytest.param(
            [("a.pairs:name", "p"), ("a.pairs:value", "None")],
            {},
            {"a": {"pairs": {"p": "None"}}},
            id="a pair whose value is a word of Python",
        ),
    ],
)
def test_a_form_changes_only_the_edited_fields(
    pairs: list[tuple[str, str]], was: Any, body: dict[str, Any]
) -> None:
    assert write_body(Form(pairs), A_SCHEMA, was) == body


def test_a_field_is_found_by_a_path_in_any_letter_case() -> None:
    assert field_of(("A", "b", "TEXT"), A_SCHEMA) == "a.b.text"
    assert field_of(("a", "list", 3), A_SCHEMA) == "a.list"
    assert field_of(("z",), A_SCHEMA) == ""


def test_invalid_weekdays_are_shown_unchanged() -> None:
    schema = FormSchema((Field("x", Kind.WEEKDAYS_OF_MONTH), Field("y", Kind.PAIRS)))

    assert read_values({"x": [{"Day": "monday", "OCCURRENCE": 2}, 7], "y": 3}, schema) == {
        "x:day": ["monday", ""],
        "x:nth": ["2", ""],
        "y:name": [],
        "y:value": [],
    }


@pytest.mark.parametrize("body", [b"\xff=1", b"a=%FF", b"&".join(b"a=1" for _ in range(5001))])
def test_a_form_that_is_not_url_encoded_is_refused(body: bytes) -> None:
    with pytest.raises(Invalid):
        parse_form(body)


def test_a_form_keeps_order_and_converts_line_ends() -> None:
    form = parse_form(b"a=1%0D%0A2&b=&a=3")

    assert (form.all("a"), form.get("b", "x"), form.get("c", "x")) == (["1\n2", "3"], "", "x")
