"""Makes one attempt at an HTTP action: authentication, redirects, outcome."""

import asyncio
from collections.abc import Callable

from foliot.core.errors import Invalid, origin_of
from foliot.core.history_text import failure_note
from foliot.core.instant import Instant
from foliot.core.model.action import HttpRequest, OAuth
from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.dispatch.auth.certificates import Certificates
from foliot.dispatch.auth.oauth import OAuthTokens
from foliot.dispatch.auth.request_auth import authenticate, secrets_in, with_user_info
from foliot.dispatch.egress.resolver import Resolver
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.client import Sender
from foliot.dispatch.http.history_messages import Failure, failure_message, response_message
from foliot.dispatch.http.http_settings import HttpSettings
from foliot.dispatch.http.outgoing_request import OutgoingRequest, first_request
from foliot.dispatch.http.redirects import follow
from foliot.dispatch.http.response import HttpResponse, retry_after
from foliot.dispatch.local_shortage import not_sent, shortage_in
from foliot.ports.logs import get_logger

_UNAUTHORIZED = 401
_SUCCESSES = range(200, 300)
_DEFAULTS = HttpSettings()

_log = get_logger("foliot.dispatch")


class HttpDispatcher:
    """Carries out HTTP and HTTPS actions, in one event loop."""

    def __init__(
        self,
        egress: EgressRules,
        now: Callable[[], Instant],
        settings: HttpSettings = _DEFAULTS,
        resolver: Resolver | None = None,
    ) -> None:
        self._settings = settings
        self._now = now
        self._sender = Sender(egress, settings, resolver)
        self._tokens = OAuthTokens(self._sender.send, settings.login_url, now)
        self._certificates = Certificates()

    async def dispatch(self, request: AttemptRequest) -> Outcome | NotSent:
        """Send a job's request and follow its redirects."""
        http = request.action.part
        if not isinstance(http, HttpRequest):
            text = f"{request.action.kind} is not an HTTP action."
            return _failed(failure_note(request.action, "UnknownError", text))
        try:
            return await self._attempt(first_request(request, http), http)
        except Invalid as invalid:
            text = f"The address cannot be requested: {invalid.problem}."
            return _failed(failure_note(request.action, "InvalidRequest", text))
        except Exception as error:  # noqa: BLE001  (an attempt never raises)
            shortage = shortage_in(error)
            if shortage is not None:
                return not_sent(shortage)
            _log.error(
                "Attempt broke down", job=request.job, tag=request.tag, error=origin_of(error)
            )
            text = "The attempt ended unexpectedly; the server's log has more."
            return _failed(failure_note(request.action, "UnknownError", text))

    async def close(self) -> None:
        """Close all connections; open attempts fail."""
        await self._sender.close()
        await self._tokens.close()
        await self._certificates.close()

    async def _attempt(self, bare: OutgoingRequest, http: HttpRequest) -> Outcome:
        given = http.authentication
        deadline = asyncio.get_running_loop().time() + self._settings.timeout_seconds
        if given is None:
            outgoing = with_user_info(bare)
        else:
            outgoing = await authenticate(bare, given, self._tokens, self._certificates, deadline)
        if isinstance(outgoing, Failure):
            return _failed(failure_message(bare.target.host, outgoing))
        max_bytes = self._settings.kept_bytes
        host, result = await follow(
            self._sender.send, outgoing, deadline=deadline, max_bytes=max_bytes
        )
        if isinstance(result, Failure):
            return _failed(failure_message(host, result))
        if isinstance(given, OAuth) and result.status == _UNAUTHORIZED:
            self._tokens.forget(given)
        return self._outcome(host, result, secrets_in(outgoing, given))

    def _outcome(self, host: str, response: HttpResponse, secrets: list[str]) -> Outcome:
        return Outcome(
            succeeded=response.status in _SUCCESSES,
            message=response_message(host, response, secrets),
            retry_after=retry_after(response, self._now),
        )


def _failed(message: str) -> Outcome:
    return Outcome(succeeded=False, message=message)
