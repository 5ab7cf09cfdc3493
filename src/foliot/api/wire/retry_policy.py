"""The retry policy of an action: whether, how soon and how often a failed attempt is repeated."""

from foliot.api.wire.duration import read_duration
from foliot.api.wire.field_types import DURATION, integer_from, read_given_text, word
from foliot.api.wire.fields import WireField, WireObject
from foliot.api.wire.json_reader import Properties, read_word
from foliot.core.errors import Invalid, wrong
from foliot.core.instant import DAY, SECOND, tell_length
from foliot.core.model.action import Duration, RetryKind, RetryOn, RetryPolicy
from foliot.core.rules.retries import DEFAULT_INTERVAL

_KINDS = {kind.value: kind for kind in RetryKind}
_MIN_INTERVAL = 15 * SECOND
_MAX_INTERVAL = 548 * DAY  # 18 months
_MAX_RETRIES = 20


def _read_kind(given: Properties, name: str) -> RetryKind:
    return read_word(read_given_text(given, name), given.at(name), _KINDS)


def _read_interval(given: Properties, name: str) -> Duration:
    if _is_exponential(given):
        return _interval(given, name, SECOND, "1 second to 18 months (548 days)")
    return _interval(given, name, _MIN_INTERVAL, "15 seconds to 18 months (548 days)")


def _read_max_interval(given: Properties, name: str) -> Duration:
    longest = _interval(given, name, SECOND, "1 second to 18 months (548 days)")
    if not _is_exponential(given):
        problem = f"belongs to the retryType {RetryKind.EXPONENTIAL}; give that, or leave it out."
        raise Invalid(given.at(name), problem)
    is_given = given.get("retryInterval") is not None
    first = read_duration(given, "retryInterval").ticks if is_given else DEFAULT_INTERVAL
    if longest.ticks < first:
        expected = f"the retryInterval ({tell_length(first)}) or more"
        raise wrong(given.at(name), longest.text, expected)
    return longest


def _interval(given: Properties, name: str, least: int, expected: str) -> Duration:
    interval = read_duration(given, name)
    if not least <= interval.ticks <= _MAX_INTERVAL:
        raise wrong(given.at(name), interval.text, expected)
    return interval


def _is_exponential(given: Properties) -> bool:
    kind = given.get("retryType")
    return isinstance(kind, str) and kind.lower() == RetryKind.EXPONENTIAL


_KIND = word(_KINDS)._replace(decode=_read_kind)
_INTERVAL = DURATION._replace(decode=_read_interval)
_LONGEST = DURATION._replace(decode=_read_max_interval)
_ON = word({each.value: each for each in RetryOn})
RETRY_POLICY = WireObject(
    RetryPolicy,
    WireField("retryType", "kind", _KIND, "Retries"),
    WireField("retryInterval", "interval", _INTERVAL, "Wait between retries"),
    WireField("retryCount", "count", integer_from(0, _MAX_RETRIES), "Number of retries"),
    WireField("maxRetryInterval", "max_interval", _LONGEST, "Longest wait between retries"),
    WireField("retryOn", "on", _ON, "Retry after"),
    component="RetryPolicy",
)
