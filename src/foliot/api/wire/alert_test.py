"""The test of an alert as JSON: which destination to test, and the outcome of each."""

from foliot.api.wire.alert_destination import write_destinations
from foliot.api.wire.field_types import integer_from
from foliot.api.wire.fields import Schema, WireField, read_field
from foliot.api.wire.json_reader import Properties
from foliot.core.json_text import Json
from foliot.core.model.alert import AlertDestination
from foliot.core.rules.alert_limits import MAX_DESTINATIONS

_DESTINATION = WireField("destination", "", integer_from(0, MAX_DESTINATIONS - 1))

_TEXT: Schema = {"type": "string"}
ALERT_TEST_BODY: Schema = {
    "type": "object",
    "properties": {
        "destination": {
            **_DESTINATION.type.schema,
            "description": "the number of one destination, from 0; all if it is left out",
        }
    },
    "additionalProperties": False,
}
ALERT_TEST_SCHEMA: Schema = {
    "type": "object",
    "properties": {
        "value": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "destination": {"type": "integer", "minimum": 0},
                    "sendTo": {"type": "object", "additionalProperties": True},
                    "outcome": {"type": "string", "enum": ["succeeded", "failed"]},
                    "message": _TEXT,
                },
                "required": ["destination", "sendTo", "outcome", "message"],
            },
        }
    },
    "required": ["value"],
}


def decode_alert_test(body: Json) -> int | None:
    """Read the number of the destination to be tested; None for all."""
    given = Properties(body)
    index: int | None = read_field(given, _DESTINATION)
    given.refuse_unknown()
    return index


def encode_tested(
    index: int, destination: AlertDestination, message: str, *, succeeded: bool
) -> Json:
    """Write how the test of a destination ended, without secrets."""
    (shown,) = write_destinations((destination,))
    return {
        "destination": index,
        "sendTo": shown,
        "outcome": "succeeded" if succeeded else "failed",
        "message": message,
    }
