"""A sender of alerts that keeps what it was asked to send, with outcomes that a test sets."""

from foliot.core.ids import CollectionKey
from foliot.core.model.alert import Alert, AlertDestination
from foliot.core.model.attempt import NotSent, Outcome


class RecordingSender:
    """Satisfies `ports.alert_sender.AlertSender`, and sends nothing."""

    def __init__(self, *outcomes: Outcome | NotSent, can_send_email: bool = True) -> None:
        self.can_send_email = can_send_email
        self.sent: list[AlertDestination] = []
        self._outcomes = list(outcomes)

    async def send_test(
        self,
        collection: CollectionKey,  # noqa: ARG002
        alert: Alert,  # noqa: ARG002
        destination: AlertDestination,
    ) -> Outcome | NotSent:
        self.sent.append(destination)
        if self._outcomes:
            return self._outcomes.pop(0)
        return Outcome(succeeded=True, message="Delivered.", status_code=200)
