"""Portal sessions that somebody signed out of."""

from typing import Protocol

from foliot.core.instant import Instant


class SessionReading(Protocol):
    """Finds ended sessions."""

    def has_session_ended(self, digest: bytes) -> bool:
        """Tell whether somebody signed out of the session that has this hash."""
        ...


class SessionChanges(Protocol):
    """Ends sessions."""

    def end_session(self, digest: bytes, until: Instant, now: Instant) -> None:
        """Store that somebody signed out, until the session would have expired by itself."""
        ...
