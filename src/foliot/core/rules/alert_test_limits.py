"""Limits how often alerts are tested: whoever may change one must not flood its destinations."""

from typing import Final, Literal

from foliot.core.errors import TooManyRequests
from foliot.core.instant import SECOND, Instant, tell_instant, tell_length, to_the_second
from foliot.core.model.alert import Alert
from foliot.core.model.collection import Collection
from foliot.core.plurals import how_many
from foliot.core.rules.manual_runs import window_ticks
from foliot.core.rules.request_windows import RequestWindows

TESTS_OF_AN_ALERT: Final = 10
TESTS_OF_A_COLLECTION: Final = 50

_Key = tuple[Literal["alert", "collection"], int]


class AlertTestLimits:
    """Counts tests of each alert and collection, in windows as long as those of runs by hand.

    Each node counts the tests that it has sent, in memory only.
    """

    def __init__(self) -> None:
        self._windows: RequestWindows[_Key] = RequestWindows()

    def check(self, collection: Collection, alert: Alert, now: Instant) -> None:
        """Refuse a test beyond a limit."""
        named = f"alert '{alert.name}'"
        self._check(("alert", alert.id), named, TESTS_OF_AN_ALERT, collection, now)
        named = f"alerts of the collection '{collection.key.name}'"
        self._check(("collection", collection.id), named, TESTS_OF_A_COLLECTION, collection, now)

    def add(self, collection: Collection, alert: Alert, now: Instant) -> None:
        """Count a test that is sent."""
        keys: list[_Key] = [("alert", alert.id), ("collection", collection.id)]
        self._windows.add(keys, now, window_ticks(collection))

    def _check(
        self, key: _Key, what: str, limit: int, collection: Collection, now: Instant
    ) -> None:
        full_until = self._windows.full_until(key, limit, now)
        if full_until is None:
            return
        until = to_the_second(full_until, up=True)
        raise TooManyRequests(
            f"The plan {collection.sku} allows {how_many(limit, 'test')} of the {what} in "
            f"{tell_length(window_ticks(collection))}; "
            f"test again at {tell_instant(until)}.",
            seconds=-((now - until) // SECOND),
        )
