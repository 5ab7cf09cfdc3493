"""Addresses of HTTP requests: absolute, without characters that no address has."""

import re
from urllib.parse import urlsplit

from foliot.core.errors import Invalid, Path, wrong

NOT_IN_AN_ADDRESS = re.compile(r'[\x00-\x20\x7f"<>\\^`{|}]')
EXPECTED_ADDRESS = 'an absolute address such as "https://example.com/path"'


def check_address(uri: str, path: Path) -> None:
    """Refuse what is no absolute address; its characters are another question."""
    try:
        parts = urlsplit(uri)
        good = parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
        good = good and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good:
        raise wrong(path, _without_credentials(uri), EXPECTED_ADDRESS)


def check_characters(uri: str, path: Path) -> None:
    """Refuse an address with characters that must be percent-encoded."""
    if NOT_IN_AN_ADDRESS.search(uri):
        expected = f"{EXPECTED_ADDRESS}, other characters percent-encoded"
        raise wrong(path, _without_credentials(uri), expected)


def check_secret_address(uri: str, path: Path, example: str) -> None:
    """Refuse what is no address, and do not show it."""
    try:
        check_characters(uri, path)
        check_address(uri, path)
    except Invalid:
        raise Invalid(path, f'is not an address; give one such as "{example}".') from None


def _without_credentials(uri: str) -> str:
    """Return an address for a message, without parts that may hold a credential."""
    return "(an address with a user)" if "@" in uri else uri.split("?", maxsplit=1)[0]
