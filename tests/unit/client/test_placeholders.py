"""Placeholders are filled in, and nothing else is touched."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foliot.client.placeholders import (
    FilledText,
    MissingValues,
    fill_placeholders,
    filled_places,
    revealed,
)
from foliot.core.errors import Invalid
from foliot.importers.hidden_text import escaped, hidden, reveal

VALUES = {("env", "TOKEN"): "s3cret", ("file", "a/b.txt"): "of a file", ("env", "EMPTY"): ""}


def find(kind: str, name: str) -> str | None:
    return VALUES.get((kind, name))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("${env:TOKEN}", "s3cret", id="variable"),
        pytest.param("Bearer ${env:TOKEN}!", "Bearer s3cret!", id="part of a text"),
        pytest.param("${file:a/b.txt}${env:TOKEN}", "of a files3cret", id="two"),
        pytest.param("a${env:EMPTY}b", "ab", id="empty"),
        pytest.param("$${env:TOKEN}", "${env:TOKEN}", id="literal"),
        pytest.param("$$${env:TOKEN}", "$${env:TOKEN}", id="dollar before a literal"),
        pytest.param("${HOME} $x {{y}}", "${HOME} $x {{y}}", id="of others"),
    ],
)
def test_a_text_is_filled_in(text: str, value: str) -> None:
    assert revealed(fill_placeholders({"a": [text, 1, None]}, find)) == {"a": [value, 1, None]}


@given(st.text(alphabet="${}env:TOKN a"))
def test_an_escaped_text_is_filled_in_as_it_was(text: str) -> None:
    assert fill_placeholders(escaped(text), find) == text


def test_a_secret_that_an_import_keeps_is_filled_in_as_it_was() -> None:
    kept, _ = reveal({"password": hidden("w", "", "a${b")}, lambda part: part.word, keeps=True)

    assert fill_placeholders(kept, find) == {"password": "a${b"}


def test_only_texts_with_values_are_secret_and_their_values_are_not_printed() -> None:
    filled: Any = fill_placeholders({"Body": "${env:TOKEN}", "other": "$${env:x"}, find)

    assert filled["other"] == "${env:x"
    assert isinstance(filled["Body"], FilledText)
    assert "s3cret" not in repr(filled)
    assert [path for path, _ in filled_places(filled)] == [("body",)]


def test_all_missing_values_are_told_at_once() -> None:
    with pytest.raises(MissingValues) as refused:
        fill_placeholders({"a": "${env:NO}", "b": {"c": ["${file:no}"]}}, find)

    assert refused.value.missing == [(("a",), "${env:NO}"), (("b", "c", 0), "${file:no}")]


@pytest.mark.parametrize(
    "text", ["${env:", "${env:}", "a ${file:x", "${env:A${env:TOKEN}}", "${ENV:TOKEN}"]
)
def test_a_placeholder_that_is_written_wrong_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="begins no placeholder"):
        fill_placeholders({"a": text}, find)


@pytest.mark.parametrize(
    "name", ["password", "Secret", "sasToken", "sasKey", "pfx", "Authorization", "X-Api-Key"]
)
@pytest.mark.parametrize("text", ["${TOKEN}", "Bearer ${TOKEN}", "${env.TOKEN}", "${"])
def test_a_credential_has_no_placeholder_of_another_kind(name: str, text: str) -> None:
    with pytest.raises(Invalid, match="begins no placeholder") as refused:
        fill_placeholders({"a": {name: text}}, find)

    assert refused.value.path == ("a", name)
    assert fill_placeholders({"a": {name: "a$${b"}}, find) == {"a": {name: "a${b"}}
