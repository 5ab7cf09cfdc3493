"""A sender of alerts that keeps what it was asked to send, with errors that a test sets."""

from foliot.core.model.alert import AlertDestination
from foliot.core.model.notification import AlertMessage, Delivery


class RecordingSender:
    """Satisfies `ports.alert_sender.AlertSender`, and sends nothing."""

    def __init__(self, *errors: str | None) -> None:
        self.sent: list[tuple[AlertDestination, AlertMessage]] = []
        self.ids: list[str] = []
        self._errors = list(errors)

    async def send(
        self,
        destination: AlertDestination,
        message: AlertMessage,
        message_id: str,
    ) -> Delivery:
        self.sent.append((destination, message))
        self.ids.append(message_id)
        return Delivery(error=self._errors.pop(0) if self._errors else None)
