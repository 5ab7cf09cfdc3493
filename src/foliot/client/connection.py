"""One HTTP connection to a server, with its refusals as exceptions.

Redirects are not followed: the token would go to whoever the answer names.
"""

import json
import re
import ssl
from collections.abc import Mapping
from http.client import (
    HTTPConnection,
    HTTPException,
    HTTPResponse,
    HTTPSConnection,
    RemoteDisconnected,
)
from selectors import EVENT_READ, DefaultSelector
from urllib.parse import SplitResult, urlencode, urlsplit

from msgspec import Struct

from foliot.client.errors import ClientError, NotAuthorised, NotThere, Refused, Unreachable
from foliot.core.errors import FoliotError, Invalid, shown
from foliot.core.json_text import Json, parse_json
from foliot.core.secret import Secret

API_VERSION = "2026-11-01"

_SECONDS = 60
_MAX_ANSWER = 64 * 1024 * 1024
_OK = range(200, 300)
_HOST = re.compile(r"[\w.:%-]+")
# Foliot says what it did not find, and redirects no call: without words it is another server.
_OF_OTHERS = (*range(300, 400), 404)
# X509_V_ERR_HOSTNAME_MISMATCH and _IP_ADDRESS_MISMATCH of OpenSSL.
_OTHER_NAME = (62, 64)
_BUSY = (502, 503, 504)
_NEW_TOKEN = (
    "It stands in the data directory. Give another with FOLIOT_TOKEN; on this machine"  # noqa: S105
    " `foliot token create --name NAME --role Owner` makes one."
)


class ServerAddress(Struct, frozen=True):
    """A server: its URL, the token for it, and the authority that its certificate must have.

    `has_own_token` if the token was found in the data directory of the server, on this machine.
    """

    url: str
    token: Secret | None = None
    authority: str | None = None
    has_own_token: bool = False


def parse_url(text: str) -> str:
    """Read the URL of a server: http or https, a host, and no path."""
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        port = parts.port
    except ValueError:
        raise _bad_url(text) from None
    has_rest = parts.path.strip("/") or parts.query or parts.fragment or parts.username
    is_host = _HOST.fullmatch(parts.hostname or "") is not None
    if parts.scheme not in {"http", "https"} or not is_host or has_rest or not parts.hostname:
        raise _bad_url(text)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + ("" if port is None else f":{port}")


def _bad_url(text: str) -> Invalid:
    return Invalid((), f"{shown(text)} is not valid; give a URL such as https://host:8080.")


class Connection:
    """Calls a server, one call after the other."""

    def __init__(self, server: ServerAddress) -> None:
        self._server = server
        self._kept: HTTPConnection | None = None
        self._has_answered = False

    @property
    def url(self) -> str:
        """Where the server is."""
        return self._server.url

    def call(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        body: Json = None,
    ) -> Json:
        """Make a call and return its JSON, or None if the answer has no body."""
        asked = urlencode({"api-version": API_VERSION, **(query or {})})
        text = None if body is None else json.dumps(body).encode()
        self._check_token()
        try:
            answer = self._send(method, f"{path}?{asked}", text)
            content = answer.read(_MAX_ANSWER)
        except (OSError, HTTPException, ValueError) as error:
            self.close()
            raise Unreachable(self._problem(error)) from None
        self._has_answered = True
        return self._json(answer, content)

    def close(self) -> None:
        """Close the connection; the next call opens another."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def _send(self, method: str, target: str, body: bytes | None) -> HTTPResponse:
        if self._kept is not None and _is_closed(self._kept):
            # A server closes a connection that was idle for long, while somebody reads a plan say.
            self.close()
        is_new = self._kept is None
        connection = self._kept = self._kept or self._open()
        try:
            try:
                connection.request(method, target, body, self._headers(body))
            except (BrokenPipeError, ConnectionResetError):
                # A server refuses a body that is too large before it has read it all.
                if body is not None:
                    return connection.getresponse()
                raise
            return connection.getresponse()
        except (ConnectionError, HTTPException):
            # It may have been closed at this moment; only a question is asked again.
            if is_new or method != "GET":
                raise
            self.close()
            return self._send(method, target, body)

    def _check_token(self) -> None:
        token = "" if self._server.token is None else self._server.token.reveal()
        if not (token.isascii() and token.isprintable()):
            raise Invalid((), "the token has characters that no token has; was a file cut off?")

    def _headers(self, body: bytes | None) -> dict[str, str]:
        token = self._server.token
        return {
            "User-Agent": "foliot",
            "Accept": "application/json",
            **({} if token is None else {"Authorization": f"Bearer {token.reveal()}"}),
            **({} if body is None else {"Content-Type": "application/json"}),
        }

    def _open(self) -> HTTPConnection:
        parts: SplitResult = urlsplit(self.url)
        host = parts.hostname or ""
        if parts.scheme == "http":
            return HTTPConnection(host, parts.port, timeout=_SECONDS)
        context = _trusting(self._server.authority)
        return HTTPSConnection(host, parts.port, timeout=_SECONDS, context=context)

    def _problem(self, error: Exception) -> str:
        match error:
            case ssl.SSLCertVerificationError():
                return f"{self.url}: its certificate is {_distrust(error)}."
            case ssl.SSLError(reason="WRONG_VERSION_NUMBER"):
                plain = self.url.replace("https", "http", 1)
                said = f"it does not speak TLS; give {plain} if it is so"
            case ssl.SSLError():
                return f"cannot reach {self.url}: {error.reason or error}; is it https?"
            case TimeoutError():
                said = f"no answer within {_SECONDS} seconds"
            case RemoteDisconnected() if self.url.startswith("http:") and not self._has_answered:
                secure = self.url.replace("http", "https", 1)
                said = f"it closed the connection; give {secure} if it speaks TLS"
            case OSError():
                said = error.strerror or str(error)
            case _:
                return f"{self.url} does not answer as Foliot does; is it http or https?"
        return f"cannot reach {self.url}: {said}."

    def _json(self, answer: HTTPResponse, content: bytes) -> Json:
        try:
            found = parse_json(content) if content.strip() else None
        except FoliotError:
            if answer.status in _OK:
                said = answer.getheader("Content-Type", "no type")
                raise Unreachable(f"{self.url} does not answer as Foliot does: {said}.") from None
            found = None
        if answer.status not in _OK:
            said = answer.getheader("Content-Type", "no type")
            raise _refusal(self._server, answer.status, found, said)
        return found


def _is_closed(connection: HTTPConnection) -> bool:
    """Tell whether a connection without an open call was closed: all that can come is its end."""
    if connection.sock is None:
        return True
    with DefaultSelector() as selector:
        selector.register(connection.sock, EVENT_READ)
        return bool(selector.select(0))


def _distrust(error: ssl.SSLCertVerificationError) -> str:
    said = error.verify_message.rstrip(".")
    if error.verify_code in _OTHER_NAME:
        return f"for another name ({said}); give an address with that name as --server"
    return f"not trusted ({said}); give its authority with --ca FILE"


def _trusting(authority: str | None) -> ssl.SSLContext:
    """Return how a server is trusted: by the authorities of this machine, or by one alone."""
    try:
        return ssl.create_default_context(cafile=authority)
    except ssl.SSLError:
        raise ClientError(f"the authority {authority} has no certificate in PEM.") from None
    except OSError as error:
        raise ClientError(f"cannot read the authority {authority}: {error.strerror}.") from None


def _refusal(server: ServerAddress, status: int, body: Json, content_type: str) -> FoliotError:
    url = server.url
    error = body.get("error") if isinstance(body, dict) else None
    told = error if isinstance(error, dict) else {}
    if not told and status in _OF_OTHERS:
        said = f"{status}, {content_type}"
        return Unreachable(f"{url} does not answer as Foliot does: {said}.")
    message = str(told.get("message") or f"{url} answered with {status}.")
    code = str(told.get("code") or "")
    match status:
        case 401 if server.has_own_token:
            return NotAuthorised(f"{message} {_NEW_TOKEN}", code)
        case 401 | 403:
            return NotAuthorised(message, code)
        case 404:
            return NotThere(message, code)
        case _ if status in _BUSY:
            return Unreachable(f"{url} cannot answer now: {message}")
        case _:
            return Refused(message, code)
