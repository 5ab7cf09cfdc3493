"""Removes the secrets of a job from what its target answers."""

import html
import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import quote, quote_plus

_HIDDEN = "***"
# A text may end within a secret: this many characters are taken for its beginning.
_BEGINNING = 4
# Beginnings tried per secret: one that repeats itself could begin anywhere.
_MOST_TRIED = 64
_LONGEST_KEPT = 1024
_LONGEST_REWRITTEN = 16 * 1024
# Values of these headers are hidden even if they are short; of others, only long ones.
_CREDENTIAL = re.compile(
    r"auth|cookie|credential|jwt|key|pass|pwd|sas|secret|session|sign|token", re.ASCII
)
_SHORTEST_CREDENTIAL = 4
_SHORTEST_VALUE = 8


def without(secrets: Iterable[str], text: str) -> str:
    """Replace secrets in a text by a mask, also in other notations such as base64.

    Very short secrets are left: they occur everywhere, and a mask would reveal them.
    """
    told = (secret for secret in secrets if len(secret) >= _SHORTEST_CREDENTIAL)
    spellings = {each for secret in told for each in _spellings(secret)}
    for each in sorted(spellings, key=len, reverse=True):
        text = _without_beginning(each, text.replace(each, _HIDDEN))
    return text


def hidden_values(name: str, value: str) -> Iterator[str]:
    """List the parts of a job's header to hide in responses; its name is in lower case."""
    value = value.strip()
    shortest = _SHORTEST_CREDENTIAL if _CREDENTIAL.search(name) else _SHORTEST_VALUE
    if len(value) >= shortest:
        yield value
    if name == "cookie":
        parts = (part.partition("=")[2].strip() for part in value.split(";"))
        yield from (part for part in parts if len(part) >= _SHORTEST_CREDENTIAL)
    scheme, _, credential = value.partition(" ")
    if scheme.isalpha() and len(credential) >= shortest:
        yield credential


def _spellings(secret: str) -> frozenset[str]:
    # Other notations of very long values are not searched: that would take too much time.
    if len(secret) > _LONGEST_REWRITTEN:
        return frozenset({secret})
    return _rewritten(secret) if len(secret) > _LONGEST_KEPT else _kept_rewritten(secret)


def _rewritten(secret: str) -> frozenset[str]:
    data = secret.encode(errors="replace")
    return frozenset(
        {
            secret,
            quote(data, safe=""),
            quote(data),
            quote_plus(data),
            html.escape(secret),
            json.dumps(secret)[1:-1],
            json.dumps(secret).replace("/", "\\/")[1:-1],
            json.dumps(secret, ensure_ascii=False)[1:-1],
            b64encode(data).decode().rstrip("="),
            urlsafe_b64encode(data).decode().rstrip("="),
        }
    )


_kept_rewritten = lru_cache(maxsize=1024)(_rewritten)


def _without_beginning(secret: str, text: str) -> str:
    """Hide the beginning of a secret at the end of a text that was cut."""
    start = max(0, len(text) - len(secret) + 1)
    for _ in range(_MOST_TRIED):
        at = text.find(secret[:_BEGINNING], start)
        if at < 0:
            break
        if secret.startswith(text[at:]):
            return f"{text[:at]}{_HIDDEN}"
        start = at + 1
    return text
