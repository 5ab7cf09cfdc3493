"""Records what the test of a job sends and receives, and removes the secrets from it."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from urllib.parse import unquote

from msgspec.structs import replace

from foliot.core.credentials import MASK, is_credential_header, masked_uri
from foliot.core.model.action import ActionPart, HttpRequest, QueueMessage
from foliot.core.model.attempt import AttemptRequest, Outcome
from foliot.core.model.exchange import (
    SHOWN_BYTES,
    Exchange,
    Headers,
    ShownRequest,
    ShownResponse,
    Timings,
)
from foliot.core.rules.shown_values import secrets_in
from foliot.dispatch.auth import request_auth
from foliot.dispatch.auth.shared_access_signature import secrets_of
from foliot.dispatch.http.client import Send, Sender
from foliot.dispatch.http.history_messages import Failure, body_text
from foliot.dispatch.http.outgoing_request import OutgoingRequest
from foliot.dispatch.http.response import HttpResponse, shortened
from foliot.dispatch.http.target_uri import Target
from foliot.dispatch.redaction import hidden_values, without

_DEFAULT_PORTS = {"http": 80, "https": 443}
_ENCODINGS = "gzip, deflate, br"


async def with_exchange(
    request: AttemptRequest, sender: Sender, attempt: Callable[[Send], Awaitable[Outcome]]
) -> Outcome:
    """Make an attempt; if it is a test, its outcome also tells what was sent and received."""
    if not request.is_test:
        return await attempt(sender.send)
    recorder = ExchangeRecorder(sender)
    outcome = await attempt(recorder.send)
    if not recorder.sent:
        return outcome
    first = recorder.sent[0]
    secrets = [*_secrets(request.action.part, first)]
    # A target may send back any header of a job, and a caller may see the harmless ones.
    of_response = [*secrets, *first.hidden]
    return replace(
        outcome,
        message=without(of_response, outcome.message),
        exchange=recorder.exchange(secrets, of_response),
    )


class ExchangeRecorder:
    """Sends the requests of one attempt, and keeps them with their last response."""

    def __init__(self, sender: Sender) -> None:
        self.sent: list[OutgoingRequest] = []
        self._sender = sender
        self._response: HttpResponse | None = None
        self._timings: Timings | None = None

    async def send(
        self, outgoing: OutgoingRequest, *, deadline: float, max_bytes: int
    ) -> HttpResponse | Failure:
        """Send one request; the caller gets as much of the response as in any attempt."""
        self.sent.append(outgoing)
        self._response = self._timings = None
        result = await self._sender.send(
            outgoing,
            deadline=deadline,
            max_bytes=max(max_bytes, SHOWN_BYTES),
            timed=self._keep_timings,
        )
        if isinstance(result, Failure):
            return result
        self._response = result
        return shortened(result, max_bytes)

    def exchange(self, secrets: Sequence[str], of_response: Sequence[str]) -> Exchange:
        """Return what was sent without some secrets, and what was received without others."""
        (first, *others), response = self.sent, self._response
        return Exchange(
            request=_shown_request(first, secrets),
            redirects=tuple(_shown_uri(each.target.url, of_response) for each in others),
            response=None if response is None else _shown_response(response, of_response),
            timings=self._timings,
        )

    def _keep_timings(self, timings: Timings) -> None:
        self._timings = timings


def shown_headers(headers: Iterator[tuple[str, str]], secrets: Sequence[str]) -> Headers:
    """Return the headers of a request, with a mask in place of credentials."""
    return tuple(
        (name, MASK if is_credential_header(name) and value else without(secrets, value))
        for name, value in headers
    )


def _secrets(part: ActionPart, outgoing: OutgoingRequest) -> Iterator[str]:
    """Go through the secrets of a request, also in the notations in which it has them."""
    yield from secrets_in(part)
    given = part.authentication if isinstance(part, HttpRequest) else None
    yield from request_auth.secrets_in(replace(outgoing, hidden=()), given)
    if isinstance(part, QueueMessage) and part.sas_token is not None:
        yield from secrets_of(part.sas_token)
    for line in outgoing.credentials:
        name, _, value = line.partition(":")
        yield from hidden_values(name.lower(), value)
        signature = value.partition("sig=")[2].partition("&")[0]
        yield from (signature, unquote(signature))


def _shown_request(outgoing: OutgoingRequest, secrets: Sequence[str]) -> ShownRequest:
    body = outgoing.body
    return ShownRequest(
        method=outgoing.method,
        uri=_shown_uri(outgoing.target.url, secrets),
        headers=shown_headers(_sent_headers(outgoing), secrets),
        body=None if body is None else without(secrets, body.decode(errors="replace")),
    )


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


def _shown_uri(uri: str, secrets: Sequence[str]) -> str:
    return without(secrets, masked_uri(uri))


def _shown_response(response: HttpResponse, secrets: Sequence[str]) -> ShownResponse:
    kept = shortened(response, SHOWN_BYTES)
    lines = (line.partition(":") for line in kept.headers.splitlines())
    return ShownResponse(
        status_code=kept.status,
        headers=tuple((name, without(secrets, value.strip())) for name, _, value in lines),
        body=without(secrets, body_text(kept)),
        is_cut=kept.is_cut,
    )
