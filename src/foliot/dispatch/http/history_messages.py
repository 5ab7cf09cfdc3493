"""Messages of HTTP attempts in history: clients of the old service parse their beginnings."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from foliot.core.history_text import storable
from foliot.core.model.reason import Reason
from foliot.dispatch.http.response import HttpResponse
from foliot.dispatch.redaction import without

# The most that headers of a target add to history; bodies have a limit of their own.
_MAX_HEADER_CHARACTERS = 8192
_MAX_DETAIL_CHARACTERS = 300


class Failure(Struct, frozen=True):
    """Why an attempt failed: a code, a sentence, and the word in history if it is another one.

    The words in history are those of .NET and of the services: clients know them.
    """

    reason: Reason
    text: str
    word: str = ""
    status_code: int | None = None

    @property
    def name(self) -> str:
        """The word in history."""
        return self.word or self.reason

    @property
    def told(self) -> str:
        """The word and the sentence, as history has them."""
        return f"{self.name} {self.text}"


def response_message(
    host: str, response: HttpResponse, secrets: Sequence[str] = (), problem: str | None = None
) -> str:
    """Return the message for a response, without secrets that the host has sent back.

    The problem says what the job expects, and the response is not.
    """
    headers = response.headers
    if len(headers) > _MAX_HEADER_CHARACTERS:
        headers = headers[: headers.rfind("\r\n", 0, _MAX_HEADER_CHARACTERS) + 2]
    said = f"{headers} Body: {body_text(response)}"
    failed = "" if problem is None else f"Expectation failed: {without(secrets, problem)} "
    return storable(
        f"Http Action - Response from host '{host}': '{status_name(response.status)}' "
        f"{failed}Response Headers: {without(secrets, said) if secrets else said}"
    )


def failure_message(host: str, failure: Failure) -> str:
    """Return the message for a request without a response."""
    return storable(f"Http Action - Request to host '{host}' failed: {failure.told}")


def status_name(status: int) -> str:
    """Return the name of a status in .NET's HttpStatusCode, or its number."""
    return _STATUS_NAMES.get(status) or str(status)


def curl_failure(code: int, detail: str, *, host: str) -> Failure:
    """Translate an error code of libcurl to the words of .NET."""
    unknown = Failure(Reason.PROTOCOL_ERROR, f"The transfer failed ({code}).", "UnknownError")
    found = _CURL_FAILURES.get(code, unknown)
    text = found.text.format(host=host) if code in _NAMING_CODES else found.text
    if code in _TLS_CODES or "SSL" in detail:
        text = f"{text} ({detail[:_MAX_DETAIL_CHARACTERS]})"
    return replace(found, text=text)


def refused(rule: str) -> Failure:
    """Return the failure of a request that an egress rule refuses."""
    return Failure(Reason.EGRESS_DENIED, f"The request is not allowed: {rule}.")


def secret_missing(path: str) -> Failure:
    """Return the failure of an action without a secret: samples of the old service omit it."""
    text = f"{path} is not set; send it again."
    return Failure(Reason.SECRET_MISSING, text, Reason.AUTHENTICATION_FAILURE)


TIMEOUT = Failure(Reason.TIMEOUT, "The operation has timed out")
CANCELED = Failure(
    Reason.CANCELED, "The request was canceled: the server is stopping.", "RequestCanceled"
)


def body_text(response: HttpResponse) -> str:
    """Return the body as text, by the charset that the host names."""
    if response.body.isascii():
        return response.body.decode()
    text = response.body.decode(_charset(response), "replace")
    # Leave out a character that the size limit has cut in two.
    text = text.removeprefix("\ufeff")
    return text.rstrip("\ufffd") if response.is_cut else text


def _charset(response: HttpResponse) -> str:
    """Return a known codec: Python caches each name it looks up, and targets choose the names."""
    _, _, rest = (response.header("content-type") or "").lower().partition("charset=")
    return _CHARSETS.get(rest.partition(";")[0].strip(" \"'"), "utf-8")


_CHARSETS = {
    **dict.fromkeys(("iso-8859-1", "latin1"), "latin-1"),
    **dict.fromkeys(("windows-1252", "cp1252"), "windows-1252"),
    **{
        name: name
        for name in (
            *("iso-8859-2", "iso-8859-5", "iso-8859-7", "iso-8859-9", "iso-8859-15"),
            *("windows-1250", "windows-1251", "windows-1253", "windows-1254", "windows-1257"),
            *("koi8-r", "shift_jis", "euc-jp", "euc-kr", "gb2312", "gbk", "gb18030", "big5"),
            *("utf-16", "utf-16le", "utf-16be"),
        )
    },
}


_CLOSED = "The underlying connection was closed:"
_CONNECTION_CLOSED = Reason.CONNECTION_CLOSED
_RECEIVE = Failure(
    _CONNECTION_CLOSED, f"{_CLOSED} An unexpected error occurred on a receive.", "ReceiveFailure"
)
_SEND = Failure(
    _CONNECTION_CLOSED, f"{_CLOSED} An unexpected error occurred on a send.", "SendFailure"
)
_CLOSED_EARLY = Failure(_CONNECTION_CLOSED, f"{_CLOSED} The connection was closed unexpectedly.")
_VIOLATION = Failure(
    Reason.PROTOCOL_ERROR, "The server committed a protocol violation.", "ServerProtocolViolation"
)
_TRUST = Failure(
    Reason.TRUST_FAILURE,
    f"{_CLOSED} Could not establish trust relationship for the SSL/TLS secure channel.",
)
_CHANNEL = Failure(
    Reason.SECURE_CHANNEL_FAILURE,
    "The request was aborted: Could not create SSL/TLS secure channel.",
)

# By CURLcode: https://curl.se/libcurl/c/libcurl-errors.html
_CURL_FAILURES = {
    1: _VIOLATION,
    3: Failure(Reason.INVALID_REQUEST, "The address cannot be requested.", "ProtocolError"),
    5: Failure(
        Reason.CONNECT_FAILURE, "The proxy name could not be resolved", "ProxyNameResolutionFailure"
    ),
    6: Failure(Reason.NAME_RESOLUTION_FAILURE, "The remote name could not be resolved: '{host}'"),
    7: Failure(Reason.CONNECT_FAILURE, "Unable to connect to the remote server"),
    8: _VIOLATION,
    16: _RECEIVE,
    18: _CLOSED_EARLY,
    28: TIMEOUT,
    35: _CHANNEL,
    52: _CLOSED_EARLY,
    55: _SEND,
    56: _RECEIVE,
    58: _CHANNEL,
    59: _CHANNEL,
    60: _TRUST,
    65: _SEND,
    77: Failure(Reason.TRUST_FAILURE, "The file of trusted certificates cannot be read."),
    92: _RECEIVE,
    97: Failure(Reason.CONNECT_FAILURE, "The proxy refused the connection.", "ProxyFailure"),
    100: Failure(
        Reason.PROTOCOL_ERROR,
        "The headers of the answer are too large.",
        "MessageLengthLimitExceeded",
    ),
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
