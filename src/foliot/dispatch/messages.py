"""What history says about an HTTP attempt: clients of the old service parse the beginnings."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from foliot.dispatch.answer import Answer

# What a target may add to history by its headers: bodies have a limit of their own.
_MAX_HEADER_CHARACTERS = 8192
_MAX_DETAIL_CHARACTERS = 300
_HIDDEN = "***"


class Failure(Struct, frozen=True):
    """Why a request got no answer: a name as .NET has it, and a sentence."""

    reason: str
    text: str


def answered(host: str, answer: Answer, secrets: Sequence[str] = ()) -> str:
    """Tell what a host answered, without the secrets that it may have sent back."""
    headers = answer.headers
    if len(headers) > _MAX_HEADER_CHARACTERS:
        headers = headers[: headers.rfind("\r\n", 0, _MAX_HEADER_CHARACTERS) + 2]
    said = f"{headers} Body: {_text(answer)}"
    return storable(
        f"Http Action - Response from host '{host}': '{status_name(answer.status)}' "
        f"Response Headers: {without(secrets, said) if secrets else said}"
    )


def failed(host: str, failure: Failure) -> str:
    """Tell why a host gave no answer."""
    return storable(
        f"Http Action - Request to host '{host}' failed: {failure.reason} {failure.text}"
    )


def without(secrets: Iterable[str], text: str) -> str:
    """Hide secrets in what a target has said."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = text.replace(secret, _HIDDEN)
    return text


def status_name(status: int) -> str:
    """Return the name of a status in .NET's HttpStatusCode, or its number."""
    return _STATUS_NAMES.get(status) or str(status)


def curl_failure(code: int, detail: str, *, host: str) -> Failure:
    """Say in .NET's words what libcurl calls by a number."""
    reason, text = _CURL_FAILURES.get(code, ("UnknownError", f"The transfer failed ({code})."))
    if code in _TLS_CODES or "SSL" in detail:
        text = f"{text} ({detail[:_MAX_DETAIL_CHARACTERS]})"
    return Failure(reason, text.format(host=host) if code in _NAMING_CODES else text)


def refused(rule: str) -> Failure:
    """Say that an egress rule refuses a request."""
    return Failure("EgressDenied", f"The request is not allowed: {rule}.")


def storable(message: str) -> str:
    """Replace what no database takes: half a surrogate pair, NUL."""
    if message.isascii() and "\0" not in message:
        return message
    return message.encode(errors="replace").decode().replace("\0", "\ufffd")


TIMEOUT = Failure("Timeout", "The operation has timed out")
CANCELED = Failure("RequestCanceled", "The request was canceled: the server is stopping.")


def _text(answer: Answer) -> str:
    if answer.body.isascii():
        return answer.body.decode()
    try:
        text = answer.body.decode(_charset(answer), "replace")
    except (LookupError, ValueError):
        text = answer.body.decode(errors="replace")
    # A character that the limit has cut in two is left out.
    return text.rstrip("\ufffd") if answer.is_cut else text


def _charset(answer: Answer) -> str:
    _, _, rest = (answer.header("content-type") or "").lower().partition("charset=")
    return rest.partition(";")[0].strip(" \"'") or "utf-8"


_CLOSED = "The underlying connection was closed:"
_RECEIVE = ("ReceiveFailure", f"{_CLOSED} An unexpected error occurred on a receive.")
_SEND = ("SendFailure", f"{_CLOSED} An unexpected error occurred on a send.")
_CLOSED_EARLY = ("ConnectionClosed", f"{_CLOSED} The connection was closed unexpectedly.")
_VIOLATION = ("ServerProtocolViolation", "The server committed a protocol violation.")
_TRUST = (
    "TrustFailure",
    f"{_CLOSED} Could not establish trust relationship for the SSL/TLS secure channel.",
)
_CHANNEL = (
    "SecureChannelFailure",
    "The request was aborted: Could not create SSL/TLS secure channel.",
)

# By CURLcode: https://curl.se/libcurl/c/libcurl-errors.html
_CURL_FAILURES = {
    1: _VIOLATION,
    3: ("ProtocolError", "The address cannot be requested."),
    5: ("ProxyNameResolutionFailure", "The proxy name could not be resolved"),
    6: ("NameResolutionFailure", "The remote name could not be resolved: '{host}'"),
    7: ("ConnectFailure", "Unable to connect to the remote server"),
    8: _VIOLATION,
    16: _RECEIVE,
    18: _CLOSED_EARLY,
    28: (TIMEOUT.reason, TIMEOUT.text),
    35: _CHANNEL,
    52: _CLOSED_EARLY,
    55: _SEND,
    56: _RECEIVE,
    58: _CHANNEL,
    59: _CHANNEL,
    60: _TRUST,
    65: _SEND,
    77: ("TrustFailure", "The file of trusted certificates cannot be read."),
    92: _RECEIVE,
    97: ("ProxyFailure", "The proxy refused the connection."),
    100: ("MessageLengthLimitExceeded", "The headers of the answer are too large."),
}
_NAMING_CODES = frozenset({6})
_TLS_CODES = frozenset({35, 58, 59, 60})

_STATUS_NAMES = {
    100: "Continue",
    101: "SwitchingProtocols",
    102: "Processing",
    103: "EarlyHints",
    200: "OK",
    201: "Created",
    202: "Accepted",
    203: "NonAuthoritativeInformation",
    204: "NoContent",
    205: "ResetContent",
    206: "PartialContent",
    207: "MultiStatus",
    208: "AlreadyReported",
    226: "IMUsed",
    300: "MultipleChoices",
    301: "MovedPermanently",
    302: "Found",
    303: "SeeOther",
    304: "NotModified",
    305: "UseProxy",
    306: "Unused",
    307: "TemporaryRedirect",
    308: "PermanentRedirect",
    400: "BadRequest",
    401: "Unauthorized",
    402: "PaymentRequired",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    406: "NotAcceptable",
    407: "ProxyAuthenticationRequired",
    408: "RequestTimeout",
    409: "Conflict",
    410: "Gone",
    411: "LengthRequired",
    412: "PreconditionFailed",
    413: "RequestEntityTooLarge",
    414: "RequestUriTooLong",
    415: "UnsupportedMediaType",
    416: "RequestedRangeNotSatisfiable",
    417: "ExpectationFailed",
    421: "MisdirectedRequest",
    422: "UnprocessableEntity",
    423: "Locked",
    424: "FailedDependency",
    426: "UpgradeRequired",
    428: "PreconditionRequired",
    429: "TooManyRequests",
    431: "RequestHeaderFieldsTooLarge",
    451: "UnavailableForLegalReasons",
    500: "InternalServerError",
    501: "NotImplemented",
    502: "BadGateway",
    503: "ServiceUnavailable",
    504: "GatewayTimeout",
    505: "HttpVersionNotSupported",
    506: "VariantAlsoNegotiates",
    507: "InsufficientStorage",
    508: "LoopDetected",
    510: "NotExtended",
    511: "NetworkAuthenticationRequired",
}
