"""Sending a test message of an alert, as a protocol with its contract."""

from typing import Protocol

from foliot.core.ids import CollectionKey
from foliot.core.model.alert import Alert, AlertDestination
from foliot.core.model.attempt import NotSent, Outcome


class AlertSender(Protocol):
    """Sends messages of alerts, with the egress rules of jobs.

    Failure is a value: nothing here raises, except when it is cancelled. It returns by its deadline
    whatever the destination does, and its messages hold no secret.
    """

    @property
    def can_send_email(self) -> bool:
        """Whether the settings of this node name an SMTP server."""
        ...

    async def send_test(
        self, collection: CollectionKey, alert: Alert, destination: AlertDestination
    ) -> Outcome | NotSent:
        """Send one message that says it is a test; nothing is stored, nothing is sent again."""
        ...
