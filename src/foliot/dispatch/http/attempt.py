"""Makes one attempt at an HTTP action: authentication, redirects, outcome."""

from collections.abc import Callable

from foliot.core.errors import Invalid, origin_of
from foliot.core.history_text import failure_note
from foliot.core.instant import Instant
from foliot.core.model.action import Action, Expectation, HttpRequest
from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.core.model.reason import Reason
from foliot.core.rules.expectations import SEARCHED_BYTES, accepts_status, unmet
from foliot.dispatch.auth.request_auth import RequestAuthenticator, secrets_in, with_user_info
from foliot.dispatch.egress.resolver import Resolver
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.exchange_recorder import with_exchange
from foliot.dispatch.http.client import Send, Sender
from foliot.dispatch.http.history_messages import (
    Failure,
    body_text,
    failure_message,
    response_message,
)
from foliot.dispatch.http.http_settings import HttpSettings
from foliot.dispatch.http.outgoing_request import first_request
from foliot.dispatch.http.redirects import follow
from foliot.dispatch.http.response import HttpResponse, retry_after, shortened
from foliot.dispatch.local_shortage import not_sent, shortage_in
from foliot.ports.logs import get_logger

_UNAUTHORIZED = 401
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
        self._authenticator = RequestAuthenticator(self._sender.send, settings.login_url, now)

    async def dispatch(self, request: AttemptRequest) -> Outcome | NotSent:
        """Send a job's request and follow its redirects."""
        http = request.action.part
        if not isinstance(http, HttpRequest):
            text = f"{request.action.kind} is not an HTTP action."
            failure = Failure(Reason.INVALID_REQUEST, text, "UnknownError")
            return _not_sent(request.action, failure)
        try:
            return await with_exchange(
                request, self._sender, lambda send: self._attempt(request, http, send)
            )
        except Invalid as invalid:
            text = f"The address cannot be requested: {invalid.problem}."
            return _not_sent(request.action, Failure(Reason.INVALID_REQUEST, text))
        except Exception as error:  # noqa: BLE001  (an attempt never raises)
            shortage = shortage_in(error)
            if shortage is not None:
                return not_sent(shortage)
            _log.error(
                "Attempt broke down", job=request.job, tag=request.tag, error=origin_of(error)
            )
            text = "The attempt ended unexpectedly; the server's log has more."
            failure = Failure(Reason.BREAKDOWN, text, "UnknownError")
            return _not_sent(request.action, failure)

    async def close(self) -> None:
        """Close all connections; open attempts fail."""
        await self._sender.close()
        await self._authenticator.close()

    async def _attempt(self, request: AttemptRequest, http: HttpRequest, send: Send) -> Outcome:
        bare, given = first_request(request, http), http.authentication
        deadline = self._sender.time() + self._settings.seconds_for(request)
        if given is None:
            outgoing = with_user_info(bare)
        else:
            outgoing = await self._authenticator.authenticate(
                bare, given, tag=request.tag, deadline=deadline
            )
        if isinstance(outgoing, Failure):
            return _failed(bare.target.host, outgoing)
        host, result = await follow(
            send,
            outgoing,
            deadline=deadline,
            max_bytes=self._bytes_to_read(http),
            expected=http.expect,
        )
        if isinstance(result, Failure):
            return _failed(host, result)
        if result.status == _UNAUTHORIZED:
            self._authenticator.forget(given)
        return self._outcome(host, result, secrets_in(outgoing, given), http.expect)

    def _bytes_to_read(self, http: HttpRequest) -> int:
        is_searched = http.expect is not None and http.expect.body_contains is not None
        return max(self._settings.kept_bytes, SEARCHED_BYTES if is_searched else 0)

    def _outcome(
        self,
        host: str,
        response: HttpResponse,
        secrets: list[str],
        expected: Expectation | None,
    ) -> Outcome:
        if expected is None:
            reason = None if accepts_status(None, response.status) else Reason.HTTP_STATUS
            problem = None
        else:
            text = body_text(response)
            problem = unmet(expected, response.status, text, is_cut=response.is_cut)
            reason = None if problem is None else Reason.EXPECTATION_FAILED
        kept = shortened(response, self._settings.kept_bytes)
        return Outcome(
            succeeded=reason is None,
            message=response_message(host, kept, secrets, problem),
            retry_after=retry_after(response, self._now),
            reason=reason,
            host=host,
            status_code=response.status,
        )


def _failed(host: str, failure: Failure) -> Outcome:
    return Outcome(
        succeeded=False,
        message=failure_message(host, failure),
        reason=failure.reason,
        host=host,
        status_code=failure.status_code,
    )


def _not_sent(action: Action, failure: Failure) -> Outcome:
    message = failure_note(action, failure.name, failure.text)
    return Outcome(succeeded=False, message=message, reason=failure.reason)
