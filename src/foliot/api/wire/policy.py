"""The policy of a job: how its runs are made. Foliot's own: the old service had none."""

from foliot.api.wire.duration import read_duration
from foliot.api.wire.field_types import DURATION, integer_from, word
from foliot.api.wire.fields import FieldType, WireField, WireObject
from foliot.api.wire.json_reader import Properties, read_integer
from foliot.core.errors import Invalid, wrong
from foliot.core.instant import DAY, HOUR, MINUTE, SECOND, tell_length
from foliot.core.model.action import Duration
from foliot.core.model.policy import CatchUp, Overlap, Policy

_LONGEST = 366 * DAY
_MAX_JITTER = HOUR
_MAX_PAUSE_AFTER = 1000


def _duration_from(least: int, most: int) -> FieldType:
    limits = f"{tell_length(least)} to {tell_length(most)}"

    def read(given: Properties, name: str) -> Duration:
        length = read_duration(given, name, limits=limits)
        if not least <= length.ticks <= most:
            raise wrong(given.at(name), length.text, limits)
        return length

    return DURATION._replace(decode=read)


def _number_from(least: int, most: int) -> FieldType:
    """Return the type of a whole number whose limits are told whatever is wrong with a value."""
    limits = f"a whole number from {least} to {most}"

    def read(given: Properties, name: str) -> int:
        value, path = given.get(name), given.at(name)
        try:
            number = read_integer(value, path)
        except Invalid:
            raise wrong(path, value, limits) from None
        if not least <= number <= most:
            raise wrong(path, value, limits)
        return number

    return integer_from(least, most)._replace(decode=read)


_OVERLAP = word({each.value: each for each in Overlap})
_CATCH_UP = word({each.value: each for each in CatchUp})
POLICY = WireObject(
    Policy,
    WireField("overlap", "overlap", _OVERLAP, "Overlap"),
    WireField("catchUp", "catch_up", _CATCH_UP, "Catch-up"),
    WireField(
        "catchUpWindow", "catch_up_window", _duration_from(MINUTE, _LONGEST), "Catch-up window"
    ),
    WireField("startWithin", "start_within", _duration_from(SECOND, _LONGEST), "Start within"),
    WireField("jitter", "jitter", _duration_from(SECOND, _MAX_JITTER), "Jitter"),
    WireField("timeout", "timeout", DURATION, "Timeout of an attempt"),
    WireField("pauseAfter", "pause_after", _number_from(1, _MAX_PAUSE_AFTER), "Pause after"),
    component="Policy",
)
POLICY_FIELD = WireField("policy", "policy", POLICY.type())
