"""The settings of HTTP actions, readable without loading libcurl."""

from pathlib import Path

from msgspec import Struct

from foliot.core.model.attempt import AttemptRequest


class HttpSettings(Struct, frozen=True, kw_only=True):
    """Settings of HTTP actions; without `ca_file`, the system's certificates are trusted."""

    timeout_seconds: float = 60
    # The most that a job may ask for.
    max_timeout_seconds: float = 600
    kept_bytes: int = 2048
    ca_file: Path | None = None
    proxy: str | None = None
    login_url: str = "https://login.microsoftonline.com"
    max_idle_connections: int = 512
    # The number of concurrent attempts.
    slots: int = 512

    def seconds_for(self, request: AttemptRequest) -> float:
        """Return how long an attempt may take."""
        if request.timeout_seconds is None:
            return self.timeout_seconds
        return min(request.timeout_seconds, max(self.timeout_seconds, self.max_timeout_seconds))
