"""Translates errors of Microsoft's client into the words of history."""

import ssl
from collections.abc import Iterator

from azure.servicebus.exceptions import (
    MessageSizeExceededError,
    MessagingEntityDisabledError,
    MessagingEntityNotFoundError,
    OperationTimeoutError,
    ServiceBusAuthenticationError,
    ServiceBusAuthorizationError,
    ServiceBusCommunicationError,
    ServiceBusConnectionError,
    ServiceBusQuotaExceededError,
    ServiceBusServerBusyError,
)
from msgspec.structs import replace

from foliot.core.model.reason import Reason
from foliot.dispatch.http.history_messages import TIMEOUT, Failure, curl_failure
from foliot.dispatch.local_shortage import Shortage, shortage_in
from foliot.dispatch.redaction import without
from foliot.dispatch.service_bus.amqp_frame_limits import FrameLimitExceeded
from foliot.dispatch.service_bus.message import BusSend

_MAX_DETAIL_CHARACTERS = 300
_UNAUTHORIZED = (401, 403)
# Codes of libcurl, for the same sentences as over HTTP.
_CONNECT, _VIOLATION, _CHANNEL, _RECEIVE, _TRUST = 7, 8, 35, 56, 60

_TOO_MUCH = Failure(
    Reason.PROTOCOL_ERROR,
    "The server announced or sent more than is read of an answer.",
    "MessageLengthLimitExceeded",
)
_DENIALS = (ServiceBusAuthenticationError, ServiceBusAuthorizationError)
_BROKEN = (ServiceBusConnectionError, ServiceBusCommunicationError, OSError)
_TOO_LARGE = "The message is too large for the {entity}."
_SENTENCES: tuple[tuple[type[Exception], Failure], ...] = (
    (MessagingEntityNotFoundError, Failure(Reason.NOT_FOUND, "The {entity} does not exist.")),
    (
        MessagingEntityDisabledError,
        Failure(Reason.REJECTED, "The {entity} is disabled.", "Disabled"),
    ),
    (ServiceBusServerBusyError, Failure(Reason.SERVER_BUSY, "The server is busy.")),
    (
        ServiceBusQuotaExceededError,
        Failure(Reason.REJECTED, "The {entity} is full.", "QuotaExceeded"),
    ),
    (MessageSizeExceededError, Failure(Reason.REJECTED, _TOO_LARGE, "MessageTooLarge")),
)


def failure_of(error: Exception, bus_send: BusSend, *, was_open: bool) -> Failure:
    """Return the failure that an error of the client means."""
    if isinstance(error, (OperationTimeoutError, TimeoutError)):
        return TIMEOUT
    for kind, known in _SENTENCES:
        if isinstance(error, kind):
            return replace(known, text=known.text.format(entity=bus_send.entity_kind))
    if _is_denied(error):
        text = f"The key '{bus_send.key_name}' is not accepted. {_detail(error, bus_send)}"
        return Failure(Reason.UNAUTHORIZED, text)
    if any(isinstance(cause, FrameLimitExceeded) for cause in _causes(error)):
        return _TOO_MUCH
    failure = _broken(error, was_open=was_open)
    if failure is None and not was_open:
        # The peer does not speak AMQP, or not as the client expects.
        failure = curl_failure(_VIOLATION, "", host="")
    return failure or Failure(Reason.REJECTED, _detail(error, bus_send), "UnknownError")


def is_broken(error: Exception) -> bool:
    """Tell whether the connection has failed, and not a message."""
    return isinstance(error, _BROKEN) and not _is_denied(error)


def shortage_of(error: Exception) -> Shortage | None:
    """Return the shortage on this machine that has caused an error, if one has."""
    return next(filter(None, map(shortage_in, _causes(error))), None)


def _is_denied(error: Exception) -> bool:
    return isinstance(error, _DENIALS) or any(
        getattr(cause, "status_code", None) in _UNAUTHORIZED for cause in _causes(error)
    )


def _broken(error: Exception, *, was_open: bool) -> Failure | None:
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLError):
            code = _TRUST if isinstance(cause, ssl.SSLCertVerificationError) else _CHANNEL
            return curl_failure(code, str(cause.reason), host="")
    if not is_broken(error):
        return None
    return curl_failure(_RECEIVE if was_open else _CONNECT, "", host="")


def _causes(error: BaseException) -> Iterator[BaseException]:
    """List an error and its causes; the client keeps some in a field of its own."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        cause = waiting.pop()
        if isinstance(cause, BaseException) and id(cause) not in seen:
            seen.add(id(cause))
            yield cause
            waiting += [getattr(cause, "inner_exception", None), cause.__cause__, cause.__context__]


def _detail(error: Exception, bus_send: BusSend) -> str:
    said = [getattr(cause, "status_description", None) for cause in _causes(error)]
    text = next((each for each in said if each), str(error))
    plain = text.decode(errors="replace") if isinstance(text, bytes) else str(text)
    hidden = without([bus_send.key.reveal()], plain.partition("\n")[0])
    return hidden[:_MAX_DETAIL_CHARACTERS]
