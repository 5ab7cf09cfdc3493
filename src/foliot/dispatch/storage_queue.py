"""Puts messages on storage queues, over the service's REST interface."""

from collections.abc import Callable
from http import HTTPStatus

from foliot.core.instant import Instant
from foliot.core.job_defaults import PLAIN_TEXT
from foliot.core.model.action import QueueMessage
from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.core.model.reason import Reason
from foliot.core.rules.queue_message_text import MAX_MESSAGE_BYTES, escaped, queue_text
from foliot.core.secret import Secret
from foliot.dispatch.auth.shared_access_signature import query_of, secrets_of, time_problem
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.exchange_recorder import with_exchange
from foliot.dispatch.http.client import Send
from foliot.dispatch.http.history_messages import Failure, secret_missing, status_name
from foliot.dispatch.http.http_settings import HttpSettings
from foliot.dispatch.http.outgoing_request import OutgoingRequest, trace_lines, user_agent
from foliot.dispatch.http.response import HttpResponse, retry_after
from foliot.dispatch.http.target_uri import read_target
from foliot.dispatch.message_dispatcher import MessageDispatcher
from foliot.dispatch.queue_endpoints import (
    QUEUE_NAME_RULE,
    Endpoints,
    is_queue_name,
    storage_endpoints,
)
from foliot.dispatch.queue_outcomes import (
    CREATED,
    MAX_RESPONSE_BYTES,
    delivered,
    element,
    of_another_kind,
    reason_of_refusal,
    undelivered,
    without_exception,
)
from foliot.dispatch.redaction import without

_DEFAULTS = HttpSettings()
_BODY = (
    '<?xml version="1.0" encoding="utf-8"?>'
    "<QueueMessage><MessageText>{}</MessageText></QueueMessage>"
)


class StorageQueueDispatcher(MessageDispatcher):
    """Puts the messages of StorageQueue actions on their queues."""

    cloud = storage_endpoints()

    def __init__(
        self,
        egress: EgressRules,
        now: Callable[[], Instant],
        settings: HttpSettings = _DEFAULTS,
        endpoints: Endpoints | None = None,
        *,
        default_format: str = PLAIN_TEXT,
    ) -> None:
        super().__init__(egress, now, settings, endpoints)
        self._default_format = default_format

    async def dispatch(self, request: AttemptRequest) -> Outcome | NotSent:
        """Put a job's message on its queue."""
        message = request.action.part
        if not isinstance(message, QueueMessage):
            text = f"{request.action.kind} is not an action for a storage queue."
            return of_another_kind(request.action, text)
        host = self._endpoints.host_of(message.storage_account)
        attempt = with_exchange(
            request, self._sender, lambda send: self._attempt(request, message, send)
        )
        return await without_exception(request, attempt, host)

    async def _attempt(self, request: AttemptRequest, message: QueueMessage, send: Send) -> Outcome:
        token = message.sas_token
        text = queue_text(message, request, self._default_format)
        problem = _problem(message, text)
        if problem is not None or token is None:
            failure = problem or secret_missing("queueMessage.sasToken")
            return undelivered(request.action, failure)
        base = self._endpoints.base_of(message.storage_account)
        url = f"{base}/{message.queue_name}/messages?{query_of(token)}"
        response = await send(
            _request(url, text, request),
            deadline=self._deadline(request),
            max_bytes=MAX_RESPONSE_BYTES,
        )
        if isinstance(response, Failure):
            return undelivered(request.action, _unreachable(response, message.storage_account))
        if response.status == CREATED:
            return delivered(request.action, status_name(CREATED), status_code=CREATED)
        failure = _refused(response, message.queue_name, token, self._now())
        return undelivered(request.action, failure, retry_after=retry_after(response, self._now))


def _problem(message: QueueMessage, text: str) -> Failure | None:
    """Return why no queue would accept the message, before it is sent."""
    if not is_queue_name(message.queue_name):
        text = f"That is not the name of a queue; give {QUEUE_NAME_RULE}."
        return Failure(Reason.INVALID_REQUEST, text, "InvalidResourceName")
    if (size := len(text.encode(errors="replace"))) > MAX_MESSAGE_BYTES:
        text = f"The message has {size} bytes; a queue takes at most {MAX_MESSAGE_BYTES}."
        return Failure(Reason.INVALID_REQUEST, text, "MessageTooLarge")
    return None


def _request(url: str, text: str, request: AttemptRequest) -> OutgoingRequest:
    return OutgoingRequest(
        method="POST",
        target=read_target(url),
        headers=(
            "Content-Type: application/xml; charset=utf-8",
            "Accept: application/xml",
            "Expect:",
            f"User-Agent: {user_agent()}",
            f"x-ms-client-request-id: {request.request_id}",
            # A message has no place for it: its text is the job's own.
            *trace_lines(request),
        ),
        body=_BODY.format(escaped(text)).encode(errors="replace"),
    )


def _unreachable(failure: Failure, account: str) -> Failure:
    if failure.reason is not Reason.NAME_RESOLUTION_FAILURE:
        return failure
    text = f"The storage account '{account}' could not be found. {failure.text}"
    return Failure(failure.reason, text)


def _refused(response: HttpResponse, queue: str, token: Secret, now: Instant) -> Failure:
    """Explain an error code (https://learn.microsoft.com/rest/api/storageservices/)."""
    code = response.header("x-ms-error-code") or element(response, "Code")
    code = code or status_name(response.status)
    if code == "QueueNotFound":
        text = f"The queue '{queue}' does not exist."
    elif response.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        text = time_problem(token, now) or _DENIALS.get(code) or element(response, "Message")
    else:
        text = element(response, "Message")
    text = text or f"The answer was '{status_name(response.status)}'."
    secrets = secrets_of(token)
    return Failure(
        reason_of_refusal(response.status),
        without(secrets, text),
        without(secrets, code),
        response.status,
    )


_NOT_ACCEPTED = (
    "The SAS token is not accepted: its signature does not match, "
    "or it is not for this account, queue or service."
)
_DENIALS = {
    "AuthenticationFailed": _NOT_ACCEPTED,
    "AuthorizationFailure": _NOT_ACCEPTED,
    "AuthorizationPermissionMismatch": "The SAS token does not permit to add messages (sp=a).",
    "AuthorizationSourceIPMismatch": "The SAS token is not for this server's address (sip).",
    "AuthorizationProtocolMismatch": "The SAS token is for HTTPS only (spr).",
    "AuthorizationServiceMismatch": "The SAS token is not for queues (ss=q).",
    "AuthorizationResourceTypeMismatch": "The SAS token is not for messages (srt=o).",
}
