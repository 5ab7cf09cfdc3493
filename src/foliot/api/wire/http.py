"""The request of an HTTP action, and how it authenticates."""

import re
from urllib.parse import urlsplit

from foliot.api.wire.json_reader import (
    Json,
    Properties,
    optional_object,
    optional_strings,
    optional_text,
    read_text,
    required,
    required_text,
    without_nulls,
)
from foliot.api.wire.pfx.certificate import Certificates, read_certificate
from foliot.core.errors import Invalid, Path, wrong
from foliot.core.instant import format_instant
from foliot.core.model.action import (
    BasicAuthentication,
    ClientCertificate,
    HttpAuthentication,
    HttpRequest,
    NoAuthentication,
    OAuth,
)
from foliot.core.secret import Secret

# A token of RFC 9110, what method and header names are made of.
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+", re.ASCII)
_NOT_IN_A_URI = re.compile(r"[\x00-\x20\x7f\"<>\\^`{|}]")
_NOT_IN_A_HEADER = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_OWN_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection"})
_TOLD_OF_A_CERTIFICATE = (
    "certificateThumbprint",
    "certificateExpiration",
    "certificateExpirationDate",
    "certificateSubjectName",
)
_AUTHENTICATIONS = ("Basic", "ClientCertificate", "ActiveDirectoryOAuth", "NotSpecified")


def decode_request(given: Properties, certificates: Certificates) -> HttpRequest:
    """Read `request`."""
    # The one unknown property that clients were seen to send; the old service ignored it.
    given.ignore("httpAuthentication")
    return HttpRequest(
        uri=_uri(given),
        method=_method(given),
        headers=_headers(given),
        body=optional_text(given, "body"),
        authentication=_authentication(given, certificates),
    )


def encode_request(request: HttpRequest) -> dict[str, Json]:
    """Write `request`, leaving out its secrets."""
    authentication = request.authentication
    return without_nulls(
        {
            "uri": request.uri,
            "method": request.method,
            "headers": None if request.headers is None else dict(request.headers),
            "body": request.body,
            "authentication": authentication and _encode_authentication(authentication),
        }
    )


def _uri(given: Properties) -> str:
    uri, path = required_text(given, "uri"), given.at("uri")
    expected = 'an absolute address such as "https://example.com/path"'
    if _NOT_IN_A_URI.search(uri):
        raise wrong(
            path, _without_credentials(uri), f"{expected}, other characters percent-encoded"
        )
    try:
        parts = urlsplit(uri)
        good = parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
        good = good and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good:
        raise wrong(path, _without_credentials(uri), expected)
    return uri


def _without_credentials(uri: str) -> str:
    """Leave out of a message what may hold a credential, however the address is broken."""
    return "(an address with a user)" if "@" in uri else uri.split("?", maxsplit=1)[0]


def _method(given: Properties) -> str:
    method = required_text(given, "method")
    if not _TOKEN.fullmatch(method):
        raise wrong(given.at("method"), method, "an HTTP method such as GET or POST")
    return method


def _headers(given: Properties) -> dict[str, str] | None:
    headers, path = optional_strings(given, "headers"), given.at("headers")
    if headers is None:
        return None
    for name, value in headers.items():
        _check_header((*path, name), name, value)
    return headers


def _check_header(path: Path, name: str, value: str) -> None:
    if not _TOKEN.fullmatch(name):
        raise Invalid(path, "is not a header's name; give letters, digits and - only.")
    if name.lower() in _OWN_HEADERS:
        raise Invalid(path, "cannot be set: it is made from the request; leave it out.")
    if _NOT_IN_A_HEADER.search(value):
        raise Invalid(path, "has a line break or a control character in its value; leave it out.")


def _authentication(request: Properties, certificates: Certificates) -> HttpAuthentication | None:
    given = optional_object(request, "authentication")
    if given is None:
        return None
    expected = f"one of {', '.join(_AUTHENTICATIONS)}"
    value = required(given, "type", expected)
    match value.lower() if isinstance(value, str) else value:
        case "basic":
            return BasicAuthentication(
                username=optional_text(given, "username"),
                password=optional_secret(given, "password"),
            )
        case "clientcertificate":
            return _certificate(given, certificates)
        case "activedirectoryoauth":
            return OAuth(
                tenant=optional_text(given, "tenant"),
                audience=optional_text(given, "audience"),
                client_id=optional_text(given, "clientId"),
                secret=optional_secret(given, "secret"),
            )
        case "notspecified":
            return NoAuthentication()
        case _:
            raise wrong(given.at("type"), value, expected)


def optional_secret(given: Properties, name: str) -> Secret | None:
    """Take a secret, or None where there is none; its value is never part of a message."""
    value = given.get(name)
    return None if value is None else Secret(read_text(value, given.at(name), hides=True))


def _certificate(given: Properties, certificates: Certificates) -> ClientCertificate:
    given.ignore(*_TOLD_OF_A_CERTIFICATE)
    pfx, password = optional_secret(given, "pfx"), optional_secret(given, "password")
    if pfx is None:
        # What a client read before and sends back tells which certificate it means.
        thumbprint = optional_text(given, "certificateThumbprint")
        return ClientCertificate(password=password, thumbprint=thumbprint)
    opened = certificates.get((pfx, password))
    return opened or read_certificate(pfx, password, given.at("pfx"))


def _encode_authentication(authentication: HttpAuthentication) -> dict[str, Json]:
    match authentication:
        case BasicAuthentication():
            return without_nulls({"username": authentication.username, "type": "Basic"})
        case OAuth():
            return without_nulls(
                {
                    "tenant": authentication.tenant,
                    "audience": authentication.audience,
                    "clientId": authentication.client_id,
                    "type": "ActiveDirectoryOAuth",
                }
            )
        case NoAuthentication():
            return {"type": "NotSpecified"}
        case ClientCertificate():
            expires = authentication.expires_at
            expiration = None if expires is None else format_instant(expires)
            return without_nulls(
                {
                    "certificateThumbprint": authentication.pfx and authentication.thumbprint,
                    "certificateExpiration": expiration,
                    "certificateExpirationDate": expiration,
                    "certificateSubjectName": authentication.subject,
                    "type": "ClientCertificate",
                }
            )
