"""The settings of HTTP actions, readable without loading libcurl."""

from pathlib import Path

from msgspec import Struct


class HttpSettings(Struct, frozen=True, kw_only=True):
    """Settings of HTTP actions; without `ca_file`, the system's certificates are trusted."""

    timeout_seconds: float = 60
    kept_bytes: int = 2048
    ca_file: Path | None = None
    proxy: str | None = None
    login_url: str = "https://login.microsoftonline.com"
    max_idle_connections: int = 512
    # The number of concurrent attempts.
    slots: int = 512
