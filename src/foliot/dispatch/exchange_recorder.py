"""Records how long a request took, and what the test of a job sends and receives.

The secrets are removed from the latter.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from urllib.parse import unquote

from msgspec.structs import replace

from foliot.core.model.action import ActionPart, HttpRequest, QueueMessage
from foliot.core.model.attempt import AttemptRequest, Outcome
from foliot.core.model.exchange import SHOWN_BYTES, Exchange, ShownResponse, Timings
from foliot.core.rules.shown_values import secrets_in
from foliot.core.rules.signing_secrets import SIGNATURE_HEADERS
from foliot.core.rules.timings_text import write_timings
from foliot.dispatch.auth import request_auth
from foliot.dispatch.auth.shared_access_signature import secrets_of
from foliot.dispatch.http.client import Send, Sender
from foliot.dispatch.http.history_messages import Failure, body_text
from foliot.dispatch.http.outgoing_request import OutgoingRequest
from foliot.dispatch.http.response import HttpResponse, shortened
from foliot.dispatch.http.shown_request import shown_request, shown_uri
from foliot.dispatch.redaction import hidden_values, without

# Of the headers of a signed request only the signature is a credential.
_OPEN_HEADERS = SIGNATURE_HEADERS[:2]


async def with_exchange(
    request: AttemptRequest, sender: Sender, attempt: Callable[[Send], Awaitable[Outcome]]
) -> Outcome:
    """Make an attempt, and tell how long the steps of its last request took.

    If it is a test, its outcome also tells what was sent and received.
    """
    if not request.is_test:
        taken: list[Timings] = []
        outcome = await attempt(partial(sender.send, timed=taken.append))
        return replace(outcome, timings=write_timings(taken[-1])) if taken else outcome
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
            request=shown_request(first, secrets),
            redirects=tuple(shown_uri(each.target.url, of_response) for each in others),
            response=None if response is None else _shown_response(response, of_response),
            timings=self._timings,
        )

    def _keep_timings(self, timings: Timings) -> None:
        self._timings = timings


def _secrets(part: ActionPart, outgoing: OutgoingRequest) -> Iterator[str]:
    """Go through the secrets of a request, also in the notations in which it has them."""
    yield from secrets_in(part)
    given = part.authentication if isinstance(part, HttpRequest) else None
    yield from request_auth.secrets_in(replace(outgoing, hidden=()), given)
    if isinstance(part, QueueMessage) and part.sas_token is not None:
        yield from secrets_of(part.sas_token)
    for line in outgoing.credentials:
        name, _, value = line.partition(":")
        if name not in _OPEN_HEADERS:
            yield from hidden_values(name.lower(), value)
        signature = value.partition("sig=")[2].partition("&")[0]
        yield from (signature, unquote(signature))


def _shown_response(response: HttpResponse, secrets: Sequence[str]) -> ShownResponse:
    kept = shortened(response, SHOWN_BYTES)
    lines = (line.partition(":") for line in kept.headers.splitlines())
    return ShownResponse(
        status_code=kept.status,
        headers=tuple((name, without(secrets, value.strip())) for name, _, value in lines),
        body=without(secrets, body_text(kept)),
        is_cut=kept.is_cut,
    )
