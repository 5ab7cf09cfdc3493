"""Writes a request as it is shown: with the headers that libcurl adds, and without secrets."""

from collections.abc import Iterator, Sequence

from foliot.core.credentials import MASK, is_credential_header, masked_uri
from foliot.core.model.exchange import Headers, ShownRequest
from foliot.dispatch.http.outgoing_request import OutgoingRequest
from foliot.dispatch.http.target_uri import Target
from foliot.dispatch.redaction import without

_DEFAULT_PORTS = {"http": 80, "https": 443}
_ENCODINGS = "gzip, deflate, br"


def shown_request(outgoing: OutgoingRequest, secrets: Sequence[str]) -> ShownRequest:
    """Return a request as it is sent, with a mask in place of credentials and of these secrets."""
    body = outgoing.body
    return ShownRequest(
        method=outgoing.method,
        uri=shown_uri(outgoing.target.url, secrets),
        headers=shown_headers(_sent_headers(outgoing), secrets),
        body=None if body is None else without(secrets, body.decode(errors="replace")),
    )


def shown_headers(headers: Iterator[tuple[str, str]], secrets: Sequence[str]) -> Headers:
    """Return the headers of a request, with a mask in place of credentials."""
    return tuple(
        (name, MASK if is_credential_header(name) and value else without(secrets, value))
        for name, value in headers
    )


def shown_uri(uri: str, secrets: Sequence[str]) -> str:
    """Return a URI with a mask in place of its credentials and of these secrets."""
    return without(secrets, masked_uri(uri))


def _sent_headers(outgoing: OutgoingRequest) -> Iterator[tuple[str, str]]:
    """Go through the headers of a request, with those that libcurl adds by itself."""
    yield "Host", _authority(outgoing.target)
    names: set[str] = set()
    for line in outgoing.headers + outgoing.credentials:
        name, separator, value = line.partition(":")
        # A name with a semicolon is an empty header; one with a colon alone is not sent.
        if not separator or value.strip():
            names.add(name.rstrip(";").lower())
            yield name.rstrip(";"), value.strip()
    if "accept-encoding" not in names:
        yield "Accept-Encoding", _ENCODINGS
    if outgoing.body is not None:
        yield "Content-Length", str(len(outgoing.body))


def _authority(target: Target) -> str:
    host = f"[{target.host}]" if ":" in target.host else target.host
    return host if target.port == _DEFAULT_PORTS[target.scheme] else f"{host}:{target.port}"
