"""What an HTTP action expects of a response: `expect`, instead of a status of 2xx."""

from foliot.api.wire.field_types import TEXT, described, read_given_text
from foliot.api.wire.fields import FieldType, WireField, WireObject
from foliot.api.wire.json_reader import Properties, required_object
from foliot.core.errors import Invalid, within
from foliot.core.json_text import Json
from foliot.core.model.action import Expectation, Statuses
from foliot.core.rules.expectations import MAX_TEXT_CHARACTERS, parse_statuses


def _statuses(given: Properties, name: str) -> Statuses:
    text = read_given_text(given, name)
    with within(*given.at(name)):
        return parse_statuses(text)


def _write_statuses(value: Statuses, _: object) -> Json:
    return value.text


def _text(given: Properties, name: str) -> str:
    text = read_given_text(given, name)
    if not 1 <= len(text) <= MAX_TEXT_CHARACTERS:
        expected = f"give 1 to {MAX_TEXT_CHARACTERS}"
        raise Invalid(given.at(name), f"has {len(text)} characters; {expected}.")
    return text


_STATUS = "[2-9][0-9]{2}"
_RANGE = rf"\s*{_STATUS}(\s*-\s*{_STATUS})?\s*"
_STATUSES = FieldType(
    _statuses,
    {"type": "string", "pattern": f"^{_RANGE}(,{_RANGE}){{0,19}}$", "examples": ["200-299,404"]},
    encode=_write_statuses,
)
_BODY_TEXT = described(TEXT, minLength=1, maxLength=MAX_TEXT_CHARACTERS)._replace(decode=_text)
_SHAPE = WireObject(
    Expectation,
    WireField("status", "statuses", _STATUSES, "Expected status"),
    WireField("bodyContains", "body_contains", _BODY_TEXT, "Expected text in the body"),
)


def _read(request: Properties, name: str) -> Expectation:
    given = required_object(request, name)
    expectation = _SHAPE.decode(given)
    if expectation == Expectation():
        given.refuse_unknown()
        raise Invalid(given.path, "is empty; give status, bodyContains or both, or leave it out.")
    return expectation


EXPECT = _SHAPE.type(minProperties=1)._replace(decode=_read)
