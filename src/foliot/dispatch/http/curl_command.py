"""Writes a request as a command line with curl: it sends what the job sends.

Secrets are environment variables in it. It follows no redirect: curl would send the headers of the
job to any other host.
"""

import re
import shlex
from collections.abc import Iterator, Sequence

from msgspec import Struct

from foliot.core.model.action import HttpRequest
from foliot.core.model.attempt import AttemptRequest
from foliot.dispatch.http.outgoing_request import OutgoingRequest
from foliot.dispatch.http.request_outline import PLACEHOLDER, RequestOutline, request_outline

# Characters that curl would take for a pattern of several addresses.
_GLOBS = re.compile(r"[\[\]{}]")
_NUL = "\0"
_KEPT_WHITE_SPACE = dict.fromkeys(map(ord, "\t\n"))
_UNPRINTABLE = re.compile(r"[^\t\n\x20-\x7e]")


class CurlCommand(Struct, frozen=True):
    """A command for a POSIX shell, and the variables that must be set before it is run."""

    text: str
    variables: Sequence[str]


def curl_command(request: AttemptRequest, http: HttpRequest) -> CurlCommand:
    """Return the command that sends an attempt's request."""
    outline = request_outline(request, http)
    body = outline.outgoing.body
    text = "" if body is None else body.decode()
    # A word of a shell cannot hold a NUL.
    begin = f"{_printf(text)} | " if _NUL in text else ""
    options = " \\\n  ".join(["curl --include --compressed", *_options(outline)])
    return CurlCommand(begin + options, _variables(outline))


def _options(outline: RequestOutline) -> Iterator[str]:
    outgoing = outline.outgoing
    yield from _method(outgoing)
    if _GLOBS.search(outgoing.target.url):
        yield "--globoff"
    if outline.user is not None:
        yield f"--user {_quoted(outline.user)}"
    if outline.certificate is not None:
        yield f"--cert-type P12 --cert {_quoted(outline.certificate)}"
    for line in outgoing.headers + outgoing.credentials:
        yield f"--header {_quoted(line)}"
    if outgoing.body is not None:
        body = outgoing.body.decode()
        yield "--data-binary @-" if _NUL in body else f"--data-raw {_word(body)}"
    yield _quoted(outgoing.target.url)


def _method(outgoing: OutgoingRequest) -> Iterator[str]:
    if outgoing.method == "HEAD" and outgoing.body is None:
        yield "--head"
    elif outgoing.method != ("GET" if outgoing.body is None else "POST"):
        yield f"--request {shlex.quote(outgoing.method)}"


def _quoted(text: str) -> str:
    """Return a word of a shell, with a variable in place of each placeholder."""
    parts = PLACEHOLDER.split(text)
    words = (f'"${part}"' if at % 2 else _word(part) for at, part in enumerate(parts) if part)
    return "".join(words) or "''"


def _word(text: str) -> str:
    """Return a word of a shell; what a page would not show or keep is written as an escape."""
    if text.translate(_KEPT_WHITE_SPACE).isprintable():
        return shlex.quote(text)
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"$'{_UNPRINTABLE.sub(_bytes_of, escaped)}'"


def _bytes_of(found: re.Match[str]) -> str:
    text = found[0]
    if text.isprintable():
        return text
    return "".join(f"\\x{byte:02x}" for byte in text.encode(errors="replace"))


def _printf(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("%", "%%").replace(_NUL, "\\000")
    return f"printf -- {_word(escaped)}"


def _variables(outline: RequestOutline) -> Sequence[str]:
    outgoing = outline.outgoing
    texts = (
        *(outline.user or "", outline.certificate or ""),
        *(*outgoing.headers, *outgoing.credentials, outgoing.target.url),
    )
    return [name for text in texts for name in PLACEHOLDER.findall(text)]
