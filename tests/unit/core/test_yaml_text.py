from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foliot.core.errors import Invalid
from foliot.core.yaml_text import JSON_WORDS, YAML_WORDS, parse_yaml, write_yaml

# All that ends a line, is not shown, or has a meaning at the beginning or the end of a text.
ODD = [
    *map(chr, (*range(0x20), *range(0x7F, 0xA1))),
    *"\u00ad\u200b\u200e\u2028\u2029\u202e\u3000\ufeff\ufffd\ufffe\uffff\U0001f600",
]
BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 12)
)
MERGE_BOMB = "a0: &a0 {x: 1}\n" + "".join(
    f"a{level}: &a{level}\n  l: *a{level - 1}\n  r: *a{level - 1}\n" for level in range(1, 40)
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("a: 1", {"a": 1}, id="integer"),
        pytest.param("a: -1.5e3", {"a": -1500.0}, id="float"),
        pytest.param("a: 007", {"a": "007"}, id="zeros before a number"),
        pytest.param("a: 1e999", {"a": "1e999"}, id="infinity"),
        pytest.param("a: yes", {"a": True}, id="yes"),
        pytest.param("a: 'yes'", {"a": "yes"}, id="quoted"),
        pytest.param("a: !!str 1", {"a": "1"}, id="tagged as text"),
        pytest.param("a: ~\nb:", {"a": None, "b": None}, id="nothing"),
        pytest.param("a: 2026-01-01", {"a": "2026-01-01"}, id="a date stays a text"),
        pytest.param("1: x", {"1": "x"}, id="a number as a name"),
        pytest.param("a: &x [1]\nb: *x", {"a": [1], "b": [1]}, id="alias"),
        pytest.param(
            "a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}",
            {"a": {"p": 1, "q": 2}, "b": {"p": 1, "q": 3}},
            id="merge",
        ),
        pytest.param(
            "a: &x {p: 1}\nb: &y {p: 2}\nc: {<<: [*x, *y]}",
            {"a": {"p": 1}, "b": {"p": 2}, "c": {"p": 1}},
            id="merge of several",
        ),
        pytest.param("a: |\n  x\n  y\n", {"a": "x\ny\n"}, id="block"),
    ],
)
def test_yaml_is_read_as_plain_values(text: str, value: Any) -> None:
    assert parse_yaml(text.encode(), YAML_WORDS) == [value]


@pytest.mark.parametrize("text", ["on", "no", "2026-03-01", "12:30", "010", "0x1f"])
def test_words_that_json_does_not_know_stay_text_in_files_of_jobs(text: str) -> None:
    assert parse_yaml(f"a: {text}\nb: true".encode(), JSON_WORDS) == [{"a": text, "b": True}]


def test_a_text_has_several_documents_and_empty_ones_do_not_count() -> None:
    assert parse_yaml(b"a: 1\n---\n---\n- b\n...\n", YAML_WORDS) == [{"a": 1}, ["b"]]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(BOMB, "more than 200000 values, aliases written out", id="alias bomb"),
        pytest.param(MERGE_BOMB, "more than 200000 values, aliases written out", id="tree bomb"),
        pytest.param(
            "\na: &a [*a]", "*a in the YAML has no anchor before it, at line 2", id="self"
        ),
        pytest.param("[" * 5000, "nested too deeply", id="deep flow"),
        pytest.param("- " * 5000, "nested too deeply", id="deep block"),
        pytest.param("a: 1\na: 2", 'the name "a" twice, again at line 2', id="a name twice"),
        pytest.param("a: {{b}}", "is a list or an object, at line 1", id="an object as a name"),
        pytest.param("a: !!python/object:os.system x", 'system" at line 1', id="python tag"),
        pytest.param("a: !!python/object:os.system {}", "the tag", id="tag of an object"),
        pytest.param("a: !secret x", 'the tag "!secret"', id="own tag"),
        pytest.param("<<: 1", "the value of << in the YAML is not an object", id="merge a number"),
        pytest.param("a: [1", "the text is not YAML", id="open list"),
        pytest.param("a: \0", "not allowed", id="NUL"),
        pytest.param(b"a: \xff", "not UTF-8: byte 4", id="not UTF-8"),
        pytest.param("\n".join("- 1" for _ in range(200_002)), "more than 200000", id="long"),
    ],
)
def test_hostile_yaml_is_refused_in_a_line(text: str | bytes, problem: str) -> None:
    with pytest.raises(Invalid) as refused:
        parse_yaml(text if isinstance(text, bytes) else text.encode(), YAML_WORDS)

    assert problem in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("on", id="a word"),
        pytest.param("1e3", id="a number"),
        pytest.param("2026-01-01T00:00:00Z", id="a time"),
        pytest.param("a: b # c", id="signs"),
        pytest.param("x\ny\n", id="lines"),
        pytest.param(" x \n\n  y", id="lines with blanks"),
        pytest.param("tab\there\x07bell\u2028", id="control characters"),
        pytest.param("${env:A}", id="placeholder"),
        pytest.param("", id="empty"),
        pytest.param("=", id="equals"),
        pytest.param("é 😀", id="letters of others"),
        pytest.param([{"a": [1, None, True]}, []], id="lists"),
    ],
)
def test_what_is_written_is_read_back(value: Any) -> None:
    assert parse_yaml(write_yaml([{"a": value}]).encode(), YAML_WORDS) == [{"a": value}]


@pytest.mark.parametrize("sign", ODD, ids=lambda sign: f"U+{ord(sign):04X}")
def test_a_control_character_or_separator_is_read_back(sign: str) -> None:
    texts = [sign, f"a{sign}b", f"a{sign}", f"{sign}a", f"a\n{sign}b\n", f"a {sign} b{sign}\n"]
    value: Any = [*texts, dict.fromkeys(texts, "a name")]

    assert parse_yaml(write_yaml([value]).encode(), JSON_WORDS) == [value]


@given(st.text(st.one_of(st.sampled_from([*ODD, *" \n:#-'\"\\|>"]), st.characters(codec="utf-8"))))
def test_any_text_is_read_back(text: str) -> None:
    value: Any = {"a": text, f"x{text}": [text]}

    assert parse_yaml(write_yaml([value]).encode(), JSON_WORDS) == [value]
