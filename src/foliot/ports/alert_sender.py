"""Sending the messages of alerts, as a protocol with its contract."""

from typing import Protocol

from foliot.core.model.alert import AlertDestination
from foliot.core.model.notification import AlertMessage, Delivery


class AlertSender(Protocol):
    """Sends messages to the destinations of alerts, under the egress rules of actions.

    Failure is a value: `send` never raises, except when it is cancelled. It returns within half a
    minute, and its errors hold no secret. The id is the same at every try of one message.
    """

    async def send(
        self, destination: AlertDestination, message: AlertMessage, message_id: str
    ) -> Delivery:
        """Try once to send a message."""
        ...
