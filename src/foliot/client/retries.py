"""Retries as people type them: 5x30s, 10x5s-10m, none."""

import re

from foliot.client.durations import iso_duration
from foliot.core.errors import Invalid, wrong
from foliot.core.json_text import Json

_EXPECTED = (
    "5x30s (5 retries, 30 seconds apart), 10x5s-10m (5 seconds, then doubled to 10 m) or none"
)
_RETRIES = re.compile(r"(\d{1,4})\s*x\s*([^-]+?)(?:-(.+))?", re.ASCII | re.IGNORECASE)


def retry_policy(text: str) -> dict[str, Json]:
    """Return the retry policy that a text means."""
    if text.strip().lower() == "none":
        return {"retryType": "none"}
    match = _RETRIES.fullmatch(text.strip())
    if match is None:
        raise wrong((), text, _EXPECTED)
    count, interval, longest = match.groups()
    try:
        policy: dict[str, Json] = {
            "retryType": "exponential" if longest else "fixed",
            "retryInterval": iso_duration(interval),
            "retryCount": int(count),
        }
        return policy | ({"maxRetryInterval": iso_duration(longest)} if longest else {})
    except Invalid:
        raise wrong((), text, _EXPECTED) from None
