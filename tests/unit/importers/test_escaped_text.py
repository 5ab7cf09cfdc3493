"""Texts in templates stay as they are, whatever they look like."""

from hypothesis import given
from hypothesis import strategies as st

from foliot.importers.template_resources import escaped_text
from foliot.templates.syntax import is_expression, literal_text


@given(st.text(alphabet="[]a'"))
def test_no_text_becomes_an_expression(text: str) -> None:
    written = escaped_text(text)

    assert not is_expression(written)
    assert literal_text(written) == text
