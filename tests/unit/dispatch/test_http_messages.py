import codecs

import pytest

from foliot.core.instant import DAY, SECOND, Instant
from foliot.core.model.reason import Reason
from foliot.dispatch.http.history_messages import (
    Failure,
    curl_failure,
    failure_message,
    refused,
    response_message,
    status_name,
)
from foliot.dispatch.http.response import HttpResponse, read_response, retry_after
from foliot.dispatch.redaction import hidden_values, without
from tests.support.builders import NOW

PREFIX = "Http Action - Response from host 'h.example': 'OK' Response Headers: "


def a_response(body: bytes = b"", headers: str = "", **fields: object) -> HttpResponse:
    return HttpResponse(200, headers, body, **fields)


def body_of(response: HttpResponse) -> str:
    return response_message("h.example", response).partition(" Body: ")[2]


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (200, "OK"),
        (201, "Created"),
        (202, "Accepted"),
        (204, "NoContent"),
        (301, "MovedPermanently"),
        (400, "BadRequest"),
        (401, "Unauthorized"),
        (404, "NotFound"),
        (405, "MethodNotAllowed"),
        (408, "RequestTimeout"),
        (413, "RequestEntityTooLarge"),
        (414, "RequestUriTooLong"),
        (416, "RequestedRangeNotSatisfiable"),
        (429, "TooManyRequests"),
        (500, "InternalServerError"),
        (502, "BadGateway"),
        (503, "ServiceUnavailable"),
        (504, "GatewayTimeout"),
        (505, "HttpVersionNotSupported"),
        (299, "299"),
        (599, "599"),
    ],
)
def test_a_status_is_called_as_in_dotnet(status: int, name: str) -> None:
    assert status_name(status) == name


def test_the_message_of_a_response_has_its_headers_and_body() -> None:
    response = a_response(b"fine", "Server: x\r\nAge: 1\r\n")

    assert response_message("h.example", response) == f"{PREFIX}Server: x\r\nAge: 1\r\n Body: fine"


def test_an_empty_response_has_a_message_too() -> None:
    assert response_message("h.example", a_response()) == f"{PREFIX} Body: "


@pytest.mark.parametrize(
    ("body", "headers", "text"),
    [
        ("grün".encode(), "", "grün"),
        ("grün".encode("latin-1"), "Content-Type: text/html; charset=ISO-8859-1\r\n", "grün"),
        ("grün".encode("utf-16"), 'content-type: text/plain; charset="utf-16"; x=1\r\n', "grün"),
        (b"\xff\xfe\xfd", "", "\ufffd\ufffd\ufffd"),
        (b"gr\xc3\xbcn", "Content-Type: text/plain; charset=made-up\r\n", "grün"),
        (b"gr\xc3\xbcn", "Content-Type: text/plain; charset=hex\r\n", "grün"),
        (b"gr\xc3\xbcn", "Content-Type: text/plain; charset=undefined\r\n", "grün"),
        (b"+2AA-\xff", "Content-Type: text/plain; charset=utf-7\r\n", "+2AA-\ufffd"),
        (b"\xff\xfe\x00\xd8a\x00", "Content-Type: text/plain; charset=utf-16\r\n", "\ufffda"),
        ("\ufeffgrün".encode(), "", "grün"),
        (b"a\0b", "", "a\ufffdb"),
    ],
    ids=[
        *("UTF-8", "Latin-1", "UTF-16", "binary", "unknown", "no text", "no use", "UTF-7"),
        *("surrogate", "byte order mark", "NUL"),
    ],
)
def test_a_body_is_read_by_its_charset_and_can_be_stored(
    body: bytes, headers: str, text: str
) -> None:
    assert body_of(a_response(body, headers)) == text


def test_half_a_character_at_the_end_is_left_out_where_the_limit_has_cut() -> None:
    assert body_of(a_response(b"gr\xc3", is_cut=True)) == "gr"
    assert body_of(a_response(b"gr\xc3")) == "gr\ufffd"


def test_headers_beyond_a_limit_are_left_out_whole() -> None:
    headers = "".join(f"X-{n:04}: {'x' * 90}\r\n" for n in range(200))

    told = response_message("h.example", a_response(b"fine", headers))

    kept = told.removeprefix(PREFIX).removesuffix(" Body: fine")
    assert headers.startswith(kept)
    assert kept.endswith("x\r\n")
    assert 8000 < len(kept) <= 8192


def test_secrets_that_a_target_sends_back_are_hidden() -> None:
    response = a_response(b"you sent pa55word and pa55", "X-Echo: pa55word\r\n")

    told = response_message("pa55", response, ["pa55", "pa55word", ""])

    assert told.endswith("X-Echo: ***\r\n Body: you sent *** and ***")
    assert told.startswith("Http Action - Response from host 'pa55'")


@pytest.mark.parametrize(
    ("code", "detail", "told"),
    [
        (6, "", "NameResolutionFailure The remote name could not be resolved: 'h.example'"),
        (5, "", "ProxyNameResolutionFailure The proxy name could not be resolved"),
        (7, "Failed to connect", "ConnectFailure Unable to connect to the remote server"),
        (28, "Operation timed out", "Timeout The operation has timed out"),
        (
            60,
            "self-signed {certificate}",
            "TrustFailure The underlying connection was closed: Could not establish trust "
            "relationship for the SSL/TLS secure channel. (self-signed {certificate})",
        ),
        (
            35,
            "no shared cipher",
            "SecureChannelFailure The request was aborted: Could not create SSL/TLS secure "
            "channel. (no shared cipher)",
        ),
        (
            52,
            "",
            "ConnectionClosed The underlying connection was closed: The connection was closed "
            "unexpectedly.",
        ),
        (
            55,
            "",
            "SendFailure The underlying connection was closed: An unexpected error occurred on a "
            "send.",
        ),
        (
            56,
            "Recv failure",
            "ReceiveFailure The underlying connection was closed: An unexpected error occurred on "
            "a receive.",
        ),
        (
            56,
            "OpenSSL SSL_read: alert certificate required",
            "ReceiveFailure The underlying connection was closed: An unexpected error occurred on "
            "a receive. (OpenSSL SSL_read: alert certificate required)",
        ),
        (8, "", "ServerProtocolViolation The server committed a protocol violation."),
        (43, "internal", "UnknownError The transfer failed (43)."),
    ],
)
def test_what_libcurl_reports_is_told_as_in_dotnet(code: int, detail: str, told: str) -> None:
    message = failure_message("h.example", curl_failure(code, detail, host="h.example"))

    assert message == f"Http Action - Request to host 'h.example' failed: {told}"


def test_a_failure_is_told_with_its_reason() -> None:
    assert failure_message("h", Failure(Reason.TIMEOUT, "Late")) == (
        "Http Action - Request to host 'h' failed: Timeout Late"
    )


def test_a_refusal_names_its_rule() -> None:
    assert refused("x is denied by 'x'") == Failure(
        Reason.EGRESS_DENIED, "The request is not allowed: x is denied by 'x'."
    )


@pytest.mark.parametrize(
    ("status", "value", "ticks"),
    [
        (503, "0", 0),
        (503, "30", 30 * SECOND),
        (429, "86400", DAY),
        (429, "86401", DAY),
        (429, "9" * 5000, DAY),
        (503, "Sat, 10 Jan 2026 00:00:30 GMT", 30 * SECOND),
        (503, "Sat, 10 Jan 2026 00:00:30 -0000", 30 * SECOND),
        (503, "Sat, 10 Jan 2026 01:00:30 +0100", 30 * SECOND),
        (503, "Mon, 12 Jan 2026 00:00:00 GMT", DAY),
        (503, "Fri, 09 Jan 2026 00:00:00 GMT", None),
        (503, "-5", None),
        (503, "1.5", None),
        (503, "", None),
        (503, "٣", None),
        (503, "Fri, 31 Dec 9999 23:59:59 -2359", None),
        (503, "Mon, 01 Jan 0001 00:00:00 +2359", None),
        (503, "Fri, 31 Dec 9999 23:59:59 GMT", DAY),
        (503, "Sunday, 11-Jan-26 00:00:00 GMT", DAY),
        (503, "Sat, 10 Jan 2026 00:00:30 +9999999999", None),
        (200, "30", None),
        (500, "30", None),
    ],
)
def test_retry_after_is_read_as_seconds_or_a_date(
    status: int, value: str, ticks: int | None
) -> None:
    response = HttpResponse(status, f"Date: x\r\nretry-after: {value}\r\n")

    assert retry_after(response, lambda: Instant(NOW)) == ticks


def test_without_retry_after_there_is_no_wait() -> None:
    assert retry_after(HttpResponse(503), lambda: Instant(NOW)) is None


@pytest.mark.parametrize(
    ("lines", "headers"),
    [
        ([b"HTTP/1.1 200 OK\r\n", b"A: 1\r\n", b"\r\n"], "A: 1\r\n"),
        ([b"HTTP/1.1 200 OK\r\n", b"A:1 \r\n", b"B:\r\n", b"\r\n"], "A: 1\r\nB: \r\n"),
        ([b"HTTP/1.1 200 OK\n", b"A: 1\n", b"\n"], "A: 1\r\n"),
        ([b"HTTP/1.1 200 OK\r\n", b"A: \xfc\r\n", b"\r\n"], "A: ü\r\n"),
        (
            [b"HTTP/1.1 100 Continue\r\n", b"\r\n", b"HTTP/2 200\r\n", b"a: 1\r\n", b"\r\n"],
            "a: 1\r\n",
        ),
        ([b"HTTP/1.1 200 OK\r\n", b"A: 1\r\n", b"\r\n", b"Trailer: 1\r\n"], "A: 1\r\n"),
        ([b"HTTP/1.1 200 OK\r\n", b"A: 1\r\n"], "A: 1\r\n"),
        ([], ""),
    ],
    ids=[
        *("plain", "untidy", "bare line ends", "Latin-1", "interim", "trailer", "cut", "nothing"),
    ],
)
def test_headers_are_those_of_the_final_answer(lines: list[bytes], headers: str) -> None:
    assert read_response(200, lines, bytearray(b"abc"), 2) == HttpResponse(
        200, headers, b"ab", is_cut=True
    )


def test_an_unknown_charset_is_not_looked_up() -> None:
    # Python would remember each name that it was asked for, for ever.
    asked: list[str] = []

    def search(name: str) -> None:
        asked.append(name)

    codecs.register(search)
    try:
        headers = f"Content-Type: text/plain; charset={'x' * 90_000}\r\n"
        assert body_of(a_response("grün".encode(), headers)) == "grün"
    finally:
        codecs.unregister(search)
    assert asked == []


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x9b31m", "\\x9b31m"),
        ("\u202etxt.exe", "\\u202etxt.exe"),
        ("a\u200bb\ufeffc", "a\\u200bb\\ufeffc"),
        ("a\u2028b", "a\\u2028b"),
        ("\U000e0041", "\\U000e0041"),
        ("a\r\n\tb\nc", "a\r\n\tb\nc"),
        ("grün 🙂", "grün 🙂"),
    ],
    ids=[
        *("escape", "8-bit escape", "override", "no width", "line separator", "tag"),
        *("line breaks and tabs", "letters"),
    ],
)
def test_invisible_characters_are_escaped(said: str, shown: str) -> None:
    assert body_of(a_response(said.encode())) == shown
    header = a_response(headers=f"X-Said: {said}\r\n")
    assert response_message("h.example", header) == f"{PREFIX}X-Said: {shown}\r\n Body: "


SECRET = 'p"ä/s <w>+r=d'  # noqa: S105  (made up)


@pytest.mark.parametrize(
    "said",
    [
        SECRET,
        "p%22%C3%A4%2Fs%20%3Cw%3E%2Br%3Dd",
        "p%22%C3%A4%2Fs+%3Cw%3E%2Br%3Dd",
        "p&quot;ä/s &lt;w&gt;+r=d",
        'p\\"\\u00e4/s <w>+r=d',
        'p\\"\\u00e4\\/s <w>+r=d',
        'p\\"ä/s <w>+r=d',
        "cCLDpC9zIDx3PityPWQ",
        SECRET[:5],
    ],
    ids=[
        *("as it is", "percent-encoded", "in a form", "HTML", "JSON", "JSON with \\/"),
        *("JSON with letters", "base64", "cut off at the end"),
    ],
)
def test_a_secret_is_hidden_however_a_target_writes_it(said: str) -> None:
    assert without([SECRET, ""], f"it was {said}") == "it was ***"


def test_a_text_that_only_begins_like_a_secret_is_shown() -> None:
    assert without(["secrets"], "secretive secr-") == "secretive secr-"


def test_very_short_secrets_are_not_masked() -> None:
    assert without(["t", "abc"], "text of abc") == "text of abc"


@pytest.mark.parametrize(
    "size", [1000, 2000, 20_000], ids=["short", "long", "longer than a message"]
)
def test_a_secret_of_any_length_is_hidden(size: int) -> None:
    secret = "s3cret/+" * (size // 8)

    assert without([secret], f"it was {secret}, was it") == "it was ***, was it"


def test_a_secret_that_repeats_itself_is_looked_for_at_few_places_only() -> None:
    text = "a" * 5000

    assert without(["a" * 6000 + "b"], text) == "***"
    assert without(["a" * 4000 + "b"], f"{text}c") == f"{text}c"


@pytest.mark.parametrize(
    ("name", "value", "hidden"),
    [
        ("x-api-key", "k123", ["k123"]),
        ("x-api-key", "k12", []),
        ("x-any", "something", ["something"]),
        ("x-any", "thing", []),
        ("x-auth", "Bearer abcdef", ["Bearer abcdef", "abcdef"]),
        ("cookie", "a=one1; b=2; c=three", ["a=one1; b=2; c=three", "one1", "three"]),
    ],
)
def test_of_a_header_its_value_and_what_is_secret_in_it_are_hidden(
    name: str, value: str, hidden: list[str]
) -> None:
    assert list(hidden_values(name, value)) == hidden
