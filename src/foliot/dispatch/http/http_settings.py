"""What an operator can set about HTTP actions, readable without loading libcurl."""

from pathlib import Path

from msgspec import Struct


class HttpSettings(Struct, frozen=True, kw_only=True):
    """What an operator can set about HTTP actions; without `ca_file`, the system's is taken."""

    timeout_seconds: float = 60
    kept_bytes: int = 2048
    ca_file: Path | None = None
    proxy: str | None = None
    login_url: str = "https://login.microsoftonline.com"
    max_idle_connections: int = 512
    # How many attempts there are at a time.
    slots: int = 512
