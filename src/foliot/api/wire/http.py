"""The request of an HTTP action."""

import re

from msgspec import structs

from foliot.api.wire.address import NOT_IN_AN_ADDRESS, check_address, check_characters
from foliot.api.wire.authentication import AUTHENTICATION
from foliot.api.wire.expectation import EXPECT
from foliot.api.wire.field_types import STRINGS, TEXT, described, read_given_text
from foliot.api.wire.fields import FieldType, WireField, WireObject
from foliot.api.wire.json_reader import Properties, read_strings, required_object
from foliot.api.wire.pfx.certificate import Certificates, read_certificate
from foliot.api.wire.retry_policy import RETRY_POLICY
from foliot.core.errors import Invalid, Path, wrong
from foliot.core.model.action import ClientCertificate, HttpRequest
from foliot.core.rules.text_templates import without_placeholders

# A token of RFC 9110, what method and header names are made of.
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_NOT_IN_A_HEADER = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_OWN_HEADERS = frozenset({"host", "content-length", "transfer-encoding", "connection"})


def decode_request(
    given: Properties, certificates: Certificates, *, is_template: bool
) -> HttpRequest:
    """Read `request`, and open its certificate unless that is done."""
    request = REQUEST.decode(given)
    if not is_template:
        check_characters(request.uri, given.at("uri"))
    if request.method.upper() == "HEAD" and request.expect and request.expect.body_contains:
        path = required_object(given, "expect").at("bodyContains")
        raise Invalid(path, "cannot be met: a HEAD request has no body; leave it out.")
    found = request.authentication
    if not isinstance(found, ClientCertificate) or found.pfx is None:
        return request
    opened = certificates.get((found.pfx, found.password))
    if opened is None:
        path = required_object(given, "authentication").at("pfx")
        opened = read_certificate(found.pfx, found.password, path)
    return structs.replace(request, authentication=opened)


def _uri(given: Properties, name: str) -> str:
    uri, path = read_given_text(given, name), given.at(name)
    # Whether it may have placeholders, the action says.
    check_characters(without_placeholders(uri), path)
    check_address(uri, path)
    return uri


def _method(given: Properties, name: str) -> str:
    method = read_given_text(given, name)
    if not _TOKEN.fullmatch(method):
        raise wrong(given.at(name), method, "an HTTP method such as GET or POST")
    return method


def _headers(given: Properties, name: str) -> dict[str, str]:
    path = given.at(name)
    headers = read_strings(given.get(name), path, hides=given.hides)
    for header, value in headers.items():
        _check_header((*path, header), header, value)
    return headers


def _check_header(path: Path, name: str, value: str) -> None:
    if not _TOKEN.fullmatch(name):
        raise Invalid(path, "is not a header's name; give letters, digits and - only.")
    if name.lower() in _OWN_HEADERS:
        raise Invalid(path, "cannot be set: it is made from the request; leave it out.")
    if _NOT_IN_A_HEADER.search(value):
        raise Invalid(path, "has a line break or a control character in its value; leave it out.")


_URI = FieldType(
    _uri,
    {
        "type": "string",
        "pattern": f"^[Hh][Tt][Tt][Pp][Ss]?://[^/?#{NOT_IN_AN_ADDRESS.pattern[1:]}"
        rf"([^{NOT_IN_AN_ADDRESS.pattern[1:]}|\{{\{{[^{{}}]*\}}\}}|\{{{{4}})*$",
        "examples": ["https://example.com/path"],
    },
    expected="a string",
)
_METHOD = FieldType(
    _method,
    {"type": "string", "pattern": f"^{_TOKEN.pattern}$", "examples": ["GET", "POST"]},
    expected="a string",
)
_HEADERS = described(
    STRINGS._replace(decode=_headers), propertyNames={"pattern": f"^{_TOKEN.pattern}$"}
)
# The one unknown property that clients were seen to send; the old service ignored it.
_IGNORED = FieldType(None, {"deprecated": True, "description": "ignored"})
# Old samples have the retry policy of an action here.
_OLD_RETRY_POLICY = described(RETRY_POLICY.type(), deprecated=True)._replace(fields=())

REQUEST = WireObject(
    HttpRequest,
    WireField("uri", "uri", _URI, "Address", required=True),
    WireField("method", "method", _METHOD, "Method", required=True),
    WireField("headers", "headers", _HEADERS, "Headers"),
    WireField("body", "body", TEXT, "Body"),
    WireField("authentication", "authentication", AUTHENTICATION),
    WireField("expect", "expect", EXPECT),
    WireField("httpAuthentication", "", _IGNORED),
    WireField("retryPolicy", "", _OLD_RETRY_POLICY),
    component="HttpRequest",
)
