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
from foliot.core.errors import Conflict, Invalid
from foliot.core.ids import CollectionId, CollectionKey
from foliot.core.model.alert import Alert, AlertDestination
from foliot.core.model.notification import MESSAGE_ID_PREFIX
from foliot.core.rules.alert_test_limits import AlertTestLimits
from foliot.core.rules.alerts.messages import message_of_test
from foliot.ports.alert_sender import AlertSender
from foliot.ports.clock import Clock
from foliot.ports.random_ids import new_id
from foliot.ports.store import Store

# A test sends ten messages at the most, so few tests are many messages.
TESTS_OF_A_NODE: Final = 8
TESTS_OF_A_COLLECTION: Final = 1


class TestedDestination(Struct, frozen=True):
    """How a test message ended, with the destination and its number in the alert."""

    index: int
    destination: AlertDestination
    error: str | None

    @property
    def succeeded(self) -> bool:
        """Whether the destination took the message."""
        return self.error is None

    @property
    def message(self) -> str:
        """The outcome in words."""
        return self.error or "The destination accepted the message."


class AlertTests:
    """What a caller can try out: whether the messages of an alert arrive."""

    def __init__(self, store: Store, clock: Clock, sender: AlertSender | None) -> None:
        self._store = store
        self._clock = clock
        self._sender = sender
        self._limits = AlertTestLimits()
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
        now = self._clock.now()
        message = message_of_test(alert, collection.key, now)
        self._limits.check(collection, alert, now)
        with self._counted(collection.id, collection.key.name):
            self._limits.add(collection, alert, now)
            sent = await asyncio.gather(
                *(self._sender.send(each, message, _message_id()) for _, each in chosen)
            )
        failed = sum(each.error is not None for each in sent)
        log_change("Alert tested", key, alert=alert.name, sent=len(sent), failed=failed)
        return [
            TestedDestination(number, to, delivery.error)
            for (number, to), delivery in zip(chosen, sent, strict=True)
        ]

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


def _message_id() -> str:
    return f"{MESSAGE_ID_PREFIX}{new_id()}"
