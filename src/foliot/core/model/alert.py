"""Alerts of a collection: which events of its jobs are told, to whom, and when not."""

from enum import StrEnum
from typing import NewType

from msgspec import Struct

from foliot.core.ids import CollectionId
from foliot.core.instant import Instant
from foliot.core.model.action import Duration
from foliot.core.secret import Secret

AlertId = NewType("AlertId", int)


class AlertEvent(StrEnum):
    """What an alert may tell about a job."""

    FAILED = "failed"
    LATE = "late"
    NO_SUCCESS = "noSuccess"
    PAUSED = "paused"
    EXPIRING = "expiring"


class AlertConditions(Struct, frozen=True, kw_only=True):
    """When an alert is raised; a condition that is None is not watched.

    `failed_in_a_row` runs were given up in a row. An occurrence began more than `late_by` after its
    planned time, or has not begun by then. The job has had no success by its
    `no_success_intervals`-th planned time after the last one. Its policy has `paused` it. A client
    certificate or SAS token expires within `expiring_within`.
    """

    failed_in_a_row: int | None = None
    late_by: Duration | None = None
    no_success_intervals: int | None = None
    paused: bool | None = None
    expiring_within: Duration | None = None


class WebhookDestination(Struct, frozen=True, kw_only=True, tag="webhook"):
    """An address that gets JSON, signed as Standard Webhooks if there is a secret."""

    uri: str
    secret: Secret | None = None


class SlackDestination(Struct, frozen=True, kw_only=True, tag="slack"):
    """An incoming webhook of Slack, or of a program that reads the same JSON.

    Whoever knows the address may post there: it is kept like a password.
    """

    uri: Secret


class EmailDestination(Struct, frozen=True, kw_only=True, tag="email"):
    """Recipients of an e-mail, sent through the SMTP server of the settings."""

    to: tuple[str, ...]


AlertDestination = WebhookDestination | SlackDestination | EmailDestination


class QuietHours(Struct, frozen=True, kw_only=True):
    """Hours of the day in which nothing is sent: what is due waits until they end.

    `begin` and `end` are minutes since midnight in the zone; quiet hours may span midnight.
    """

    begin: int
    end: int
    time_zone: str


class AlertDefinition(Struct, frozen=True, kw_only=True):
    """What a client gave: the part of an alert that is stored encrypted.

    With `tags` the alert watches only jobs that have all of them, otherwise all jobs of its
    collection. Messages refer to destinations by `destination_numbers`: a number stays with its
    destination while others are removed, and none is used twice. Those from `next_number` on are
    free.
    """

    conditions: AlertConditions
    destinations: tuple[AlertDestination, ...]
    tags: dict[str, str] | None = None
    quiet_hours: QuietHours | None = None
    description: str | None = None
    destination_numbers: tuple[int, ...] = ()
    next_number: int = 0

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of the destinations: their positions, if none were given yet."""
        count = len(self.destinations)
        has_all = len(self.destination_numbers) == count
        return self.destination_numbers if has_all else tuple(range(count))

    def destination(self, number: int) -> AlertDestination | None:
        """Return the destination that has a number, None if it was removed."""
        return dict(zip(self.numbers, self.destinations, strict=True)).get(number)


class Alert(Struct, frozen=True, kw_only=True):
    """An alert of a collection. An id of 0 is not stored yet.

    `is_enabled` is false while nothing is to be sent. `changed_by` is the name of the caller who
    last changed it.
    """

    id: AlertId = AlertId(0)
    collection_id: CollectionId
    name: str
    definition: AlertDefinition
    is_enabled: bool = True
    changed_at: Instant
    changed_by: str | None = None
