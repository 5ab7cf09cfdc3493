"""Decides which messages of alerts a node sends next, so that no destination keeps others waiting.

A destination that does not answer takes a slot for as long as a try may last. So a node has a
limited number of slots, of which one host and one collection get a part only. A free slot goes to
the collection, and in it to the alert, that has the fewest messages in flight.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import heapify, heappop, heappush
from typing import Final, assert_never

from msgspec import Struct

from foliot.core.ids import CollectionId
from foliot.core.model.alert import (
    AlertDestination,
    AlertId,
    EmailDestination,
    SlackDestination,
    WebhookDestination,
)
from foliot.core.rules.alert_limits import host_of

MESSAGES_OF_A_NODE: Final = 100
MESSAGES_OF_A_COLLECTION: Final = 25
MESSAGES_TO_A_HOST: Final = 10
# All e-mails go through one SMTP server, each in a thread.
EMAILS_AT_A_TIME: Final = 4
_EMAIL: Final = "e-mail"


class MessageRoute(Struct, frozen=True):
    """The way of a message: its collection, its alert, and the host that it is sent to."""

    collection: CollectionId
    alert: AlertId
    host: str


def host_of_destination(destination: AlertDestination | None) -> str:
    """Return what messages to a destination share a limit by; without one nothing is sent."""
    match destination:
        case None:
            return ""
        case WebhookDestination(uri=uri):
            return host_of(uri).lower()
        case SlackDestination(uri=secret):
            return host_of(secret.reveal()).lower()
        case EmailDestination():
            return _EMAIL
        case _:
            assert_never(destination)


class _Slots:
    """The messages in flight, counted by all that has a limit."""

    def __init__(self, in_flight: Iterable[MessageRoute]) -> None:
        self.collections: Counter[CollectionId] = Counter()
        self.alerts: Counter[AlertId] = Counter()
        self.hosts: Counter[str] = Counter()
        for each in in_flight:
            self.take(each)

    def take(self, route: MessageRoute) -> None:
        self.collections[route.collection] += 1
        self.alerts[route.alert] += 1
        self.hosts[route.host] += 1

    def has_one_for(self, route: MessageRoute) -> bool:
        of_host = EMAILS_AT_A_TIME if route.host == _EMAIL else MESSAGES_TO_A_HOST
        return (
            self.collections[route.collection] < MESSAGES_OF_A_COLLECTION
            and self.hosts[route.host] < of_host
        )

    def rank(self, route: MessageRoute) -> tuple[int, int]:
        return self.collections[route.collection], self.alerts[route.alert]


def choose_messages(
    waiting: Sequence[MessageRoute], in_flight: Sequence[MessageRoute]
) -> list[int]:
    """Return the positions of the waiting messages to send now; the longest waiting come first."""
    slots, chosen = _Slots(in_flight), list[int]()
    queue = [(slots.rank(route), index) for index, route in enumerate(waiting)]
    heapify(queue)
    while queue and len(in_flight) + len(chosen) < MESSAGES_OF_A_NODE:
        rank, index = heappop(queue)
        route = waiting[index]
        if not slots.has_one_for(route):
            continue
        present = slots.rank(route)
        if present != rank:
            # Others of its collection or alert were chosen since: it goes behind those with fewer.
            heappush(queue, (present, index))
            continue
        slots.take(route)
        chosen.append(index)
    return chosen
