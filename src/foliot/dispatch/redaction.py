"""Hides in what a target has said what the job has sent it in confidence."""

import html
import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import quote, quote_plus

_HIDDEN = "***"
# Of a secret that is cut off at the end of a text, so many characters are taken for its beginning.
_BEGINNING = 4
# At so many places: a secret that repeats itself could begin anywhere.
_MOST_TRIED = 64
_LONGEST_KEPT = 1024
_LONGEST_REWRITTEN = 16 * 1024
# Headers whose values are hidden however short they are; of others, what is as long as a key.
_CREDENTIAL = re.compile(
    r"auth|cookie|credential|jwt|key|pass|pwd|sas|secret|session|sign|token", re.ASCII
)
_SHORTEST_CREDENTIAL = 4
_SHORTEST_VALUE = 8


def without(secrets: Iterable[str], text: str) -> str:
    """Hide secrets in what a target has said, also if it says them in another notation.

    What is shorter than a word stands everywhere: to hide it would tell what it is.
    """
    told = (secret for secret in secrets if len(secret) >= _SHORTEST_CREDENTIAL)
    spellings = {each for secret in told for each in _spellings(secret)}
    for each in sorted(spellings, key=len, reverse=True):
        text = _without_beginning(each, text.replace(each, _HIDDEN))
    return text


def hidden_values(name: str, value: str) -> Iterator[str]:
    """List what of a job's header, whose name is in lower case, is hidden in what is answered."""
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
    # Whoever sends very long values pays with notations that are not looked for, not with our time.
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
    """Hide a secret of which the end of a text, which is cut, has only the beginning."""
    start = max(0, len(text) - len(secret) + 1)
    for _ in range(_MOST_TRIED):
        at = text.find(secret[:_BEGINNING], start)
        if at < 0:
            break
        if secret.startswith(text[at:]):
            return f"{text[:at]}{_HIDDEN}"
        start = at + 1
    return text
