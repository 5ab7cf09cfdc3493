"""The retry policy of an action: whether, how soon and how often a failed attempt is repeated."""

from foliot.api.wire.duration import read_duration
from foliot.api.wire.field_types import DURATION, integer_from, read_given_text, word
from foliot.api.wire.fields import WireField, WireObject
from foliot.api.wire.json_reader import Properties, read_word
from foliot.core.errors import wrong
from foliot.core.instant import DAY, SECOND
from foliot.core.model.action import Duration, RetryKind, RetryPolicy

_KINDS = {kind.value: kind for kind in RetryKind}
_MIN_INTERVAL = 15 * SECOND
_MAX_INTERVAL = 548 * DAY  # 18 months
_MAX_RETRIES = 20


def _read_kind(given: Properties, name: str) -> RetryKind:
    return read_word(read_given_text(given, name), given.at(name), _KINDS)


def _read_interval(given: Properties, name: str) -> Duration:
    interval = read_duration(given, name)
    if not _MIN_INTERVAL <= interval.ticks <= _MAX_INTERVAL:
        raise wrong(given.at(name), interval.text, "15 seconds to 18 months (548 days)")
    return interval


_KIND = word(_KINDS)._replace(decode=_read_kind)
_INTERVAL = DURATION._replace(decode=_read_interval)
RETRY_POLICY = WireObject(
    RetryPolicy,
    WireField("retryType", "kind", _KIND, "Retries"),
    WireField("retryInterval", "interval", _INTERVAL, "Wait between retries"),
    WireField("retryCount", "count", integer_from(0, _MAX_RETRIES), "Number of retries"),
    component="RetryPolicy",
)
