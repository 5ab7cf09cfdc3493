"""What has become of an alert: its open incidents and what was sent last."""

from msgspec import Struct

from foliot.core.instant import Instant


class AlertStatus(Struct, frozen=True, kw_only=True):
    """How many incidents are open, when a message was last delivered, and why one was not.

    `last_error` is None once a later message has been delivered; it holds no secret.
    """

    open_incidents: int = 0
    last_sent_at: Instant | None = None
    last_error: str | None = None


NO_STATUS = AlertStatus()
