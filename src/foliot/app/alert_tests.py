"""Tests of alerts: one message to each destination at once, of which nothing is stored."""

import asyncio
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Final

from msgspec import Struct

from foliot.app.change_log import log_change
from foliot.app.lookup import check_may_change, find_alert
from foliot.core.access import Principal
from foliot.core.errors import Conflict, Invalid, Unavailable, origin_of
from foliot.core.ids import CollectionId, CollectionKey
from foliot.core.model.alert import Alert, AlertDestination
from foliot.core.model.attempt import NotSent, Outcome
from foliot.ports.alert_sender import AlertSender
from foliot.ports.logs import get_logger
from foliot.ports.store import Store

# A test sends ten messages at the most, so few tests are many messages.
TESTS_OF_A_NODE: Final = 8
TESTS_OF_A_COLLECTION: Final = 1

_log = get_logger("foliot.app")


class TestedDestination(Struct, frozen=True):
    """The outcome of a test message, with the destination and its number in the alert."""

    index: int
    destination: AlertDestination
    outcome: Outcome


class AlertTests:
    """What a caller can try out: whether the messages of an alert arrive."""

    def __init__(self, store: Store, sender: AlertSender | None) -> None:
        self._store = store
        self._sender = sender
        self._in_progress: Counter[CollectionId] = Counter()

    async def test_alert(
        self, who: Principal, key: CollectionKey, name: str, index: int | None = None
    ) -> Sequence[TestedDestination]:
        """Send a test message to all destinations, or to one; disabled alerts are tested too."""
        check_may_change(who, key)
        if self._sender is None:
            raise Conflict(
                "This node runs no jobs (FOLIOT_NO_ENGINE), so it sends no alerts and cannot test "
                "one; ask a node that runs jobs."
            )
        collection, alert = await self._store.read(
            lambda reading: find_alert(reading, who, key, name)
        )
        chosen = _chosen(alert, index)
        with self._counted(collection.id, collection.key.name):
            outcomes = await asyncio.gather(
                *(self._outcome(self._sender, collection.key, alert, to) for _, to in chosen)
            )
        succeeded = sum(each.succeeded for each in outcomes)
        log_change("Alert tested", key, alert=alert.name, sent=len(chosen), succeeded=succeeded)
        return [
            TestedDestination(number, to, outcome)
            for (number, to), outcome in zip(chosen, outcomes, strict=True)
        ]

    async def _outcome(
        self, sender: AlertSender, key: CollectionKey, alert: Alert, to: AlertDestination
    ) -> Outcome:
        try:
            outcome = await sender.send_test(key, alert, to)
        except Exception as error:
            _log.error("Test of an alert broke down", alert=alert.name, error=origin_of(error))
            raise Unavailable("The test ended unexpectedly; the log has more.") from error
        if isinstance(outcome, NotSent):
            return Outcome(succeeded=False, message=f"Nothing was sent: {outcome.reason}.")
        return outcome

    @contextmanager
    def _counted(self, of: CollectionId, name: str) -> Generator[None]:
        """Count a test among those in progress; refuse too many."""
        if self._in_progress[of] >= TESTS_OF_A_COLLECTION:
            raise _busy(f"an alert of the collection '{name}'")
        if self._in_progress.total() >= TESTS_OF_A_NODE:
            raise _busy(f"alerts ({TESTS_OF_A_NODE} at once)")
        self._in_progress[of] += 1
        try:
            yield
        finally:
            self._in_progress[of] -= 1
            self._in_progress += Counter()  # drops those that are 0


def _chosen(alert: Alert, index: int | None) -> list[tuple[int, AlertDestination]]:
    numbered = list(enumerate(alert.definition.destinations))
    if index is None:
        return numbered
    if index >= len(numbered):
        last = len(numbered) - 1
        raise Invalid(
            ("destination",),
            f"{index} is not one of the alert's destinations; give a number from 0 to {last}.",
        )
    return [numbered[index]]


def _busy(what: str) -> Conflict:
    return Conflict(f"A test of {what} is in progress; try again when it has ended.")
