import asyncio
import gzip
import zlib

import pytest
from msgspec.structs import replace

from foliot.core.instant import SECOND
from foliot.dispatch.http.outgoing_request import user_agent
from tests.contract.dispatch.target import Received, answer, target
from tests.support.definitions import DEFINITIONS
from tests.support.dispatch_harness import (
    REQUEST_ID,
    TAG,
    a_request,
    dispatcher,
    message_of,
    outcome_of,
    request_for,
    run,
)


def sent(**request: object) -> Received:
    """What a target receives of a request."""

    async def steps() -> Received:
        async with target() as server:
            await outcome_of(server.url("/hook?a=1#part"), **request)
            return server.received[0]

    return run(steps())


def test_a_target_receives_the_method_the_headers_and_the_body_as_they_were_given() -> None:
    headers = {"X-Team": "Blue", "Content-Type": "text/plain", "x-empty": ""}

    received = sent(method="POST", headers=headers, body="grüße")

    assert (received.method, received.path) == ("POST", "/hook?a=1")
    assert received.body == "grüße".encode()
    names = [name for name, _ in received.headers]
    assert set(headers.items()) <= set(received.headers)
    assert not {"Expect", "Accept"} & set(names)


def test_headers_name_the_job_and_the_occurrence() -> None:
    headers = dict(sent().headers)

    assert {name: value for name, value in headers.items() if name.startswith("x-ms-")} == {
        "x-ms-scheduler-jobid": "Nightly",
        "x-ms-scheduler-jobcollection": "Billing",
        "x-ms-scheduler-expected-execution-time": "2026-01-10T08:30:00.5Z",
        "x-ms-execution-tag": TAG,
        "x-ms-client-request-id": REQUEST_ID,
        "x-ms-region": "West Europe",
    }
    assert headers["User-Agent"] == user_agent()
    assert user_agent().startswith("Foliot/")


def test_a_region_of_several_lines_is_one_header_and_none_is_none() -> None:
    async def steps() -> list[Received]:
        async with target() as server, dispatcher() as opened:
            request = a_request(server.url())
            for region in ("West\r\nX-Evil: 1", None):
                await opened.dispatch(replace(request, region=region))
            return server.received

    split, absent = run(steps())

    assert split.header("x-ms-region") == "West X-Evil: 1"
    assert split.header("x-evil") is None
    assert absent.header("x-ms-region") is None


def test_a_job_cannot_set_the_headers_of_foliot() -> None:
    received = sent(headers={"X-MS-Execution-Tag": "mine", "user-agent": "mine", "Host": "evil"})

    tags = [value for name, value in received.headers if name.lower() == "x-ms-execution-tag"]
    assert tags == [TAG]
    assert received.header("user-agent") == "mine"
    assert received.header("host") != "evil"


@pytest.mark.parametrize(
    ("method", "body", "seen"),
    [
        ("get", None, ("GET", None, b"")),
        ("GET", "with a body", ("GET", "11", b"with a body")),
        ("POST", None, ("POST", "0", b"")),
        ("PUT", "", ("PUT", "0", b"")),
        ("DELETE", None, ("DELETE", None, b"")),
        ("DELETE", "all", ("DELETE", "3", b"all")),
        ("patch", "half", ("PATCH", "4", b"half")),
        ("HEAD", None, ("HEAD", None, b"")),
        ("HEAD", "no meaning", ("HEAD", None, b"")),
        ("Purge", None, ("Purge", None, b"")),
        ("POST", "half a pair: \ud83d", ("POST", "14", b"half a pair: ?")),
    ],
    ids=lambda value: repr(value) if isinstance(value, str | None) else "",
)
def test_any_method_goes_with_and_without_a_body(
    method: str, body: str | None, seen: tuple[str, str | None, bytes]
) -> None:
    async def steps() -> tuple[bool, Received]:
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
        async with target({"/": head if method == "HEAD" else answer()}) as server:
            outcome = await outcome_of(server.url(), method=method, body=body)
            return outcome.succeeded, server.received[0]

    succeeded, received = run(steps())

    assert succeeded
    assert (received.method, received.header("content-length"), received.body) == seen


def test_nothing_of_one_request_is_left_in_the_next() -> None:
    async def steps() -> tuple[list[Received], int]:
        async with target() as server, dispatcher() as opened:
            first = a_request(server.url("/1"), method="POST", body="b", headers={"X-One": "1"})
            for request in (
                first,
                a_request(server.url("/2"), method="HEAD"),
                a_request(server.url("/3")),
            ):
                await opened.dispatch(request)
            return server.received, server.connections

    received, connections = run(steps())

    assert [(each.method, each.path, each.body) for each in received[::2]] == [
        ("POST", "/1", b"b"),
        ("GET", "/3", b""),
    ]
    assert received[2].header("x-one") is None
    assert received[2].header("content-length") is None
    assert connections <= 2


def test_connections_are_used_again() -> None:
    async def steps() -> int:
        async with target() as server, dispatcher() as opened:
            for _ in range(5):
                await opened.dispatch(a_request(server.url()))
            return server.connections

    assert run(steps()) == 1


def test_idle_connections_are_bounded() -> None:
    async def steps() -> int:
        async with target() as server, dispatcher(max_idle_connections=2) as opened:
            requests = [a_request(server.url()) for _ in range(8)]
            await asyncio.gather(*map(opened.dispatch, requests))
            await opened.dispatch(a_request(server.url()))
            return len(server.open_connections)

    assert run(steps()) <= 3


def test_history_has_the_response_in_the_words_of_the_old_service() -> None:
    async def steps() -> tuple[bool, str]:
        async with target({"/": answer("404 Not Found", b"gone fishing", X_Why="bait")}) as server:
            outcome = await outcome_of(server.url())
            return outcome.succeeded, outcome.message

    assert run(steps()) == (
        False,
        "Http Action - Response from host '127.0.0.1': 'NotFound' Response Headers: "
        "Content-Length: 12\r\nX-Why: bait\r\n Body: gone fishing",
    )


@pytest.mark.parametrize("status", [200, 201, 202, 204, 206, 299])
def test_every_2xx_is_a_success(status: int) -> None:
    async def steps() -> bool:
        async with target({"/": answer(f"{status} Some", b"")}) as server:
            return (await outcome_of(server.url())).succeeded

    assert run(steps())


@pytest.mark.parametrize("status", [300, 304, 400, 401, 404, 429, 500, 503, 599])
def test_everything_else_is_a_failure(status: int) -> None:
    async def steps() -> bool:
        async with target({"/": answer(f"{status} Some", b"")}) as server:
            return (await outcome_of(server.url())).succeeded

    assert not run(steps())


@pytest.mark.parametrize(
    ("encoding", "encode"), [("gzip", gzip.compress), ("deflate", zlib.compress)]
)
def test_a_compressed_answer_is_unpacked(encoding: str, encode: object) -> None:
    async def steps() -> tuple[str, str | None]:
        body = encode(b"small")
        async with target({"/": answer(body=body, Content_Encoding=encoding)}) as server:
            message = await message_of(server.url())
            return message, server.received[0].header("accept-encoding")

    message, accepted = run(steps())

    assert message.endswith(" Body: small")
    assert accepted == "gzip, deflate, br"


@pytest.mark.parametrize("encoding", ["made-up", "gzip"])
def test_the_status_decides_about_a_body_that_cannot_be_decoded(encoding: str) -> None:
    async def steps() -> tuple[bool, str]:
        async with target({"/": answer(body=b"plain", Content_Encoding=encoding)}) as server:
            outcome = await outcome_of(server.url())
            return outcome.succeeded, outcome.message

    succeeded, message = run(steps())

    assert succeeded
    assert "'OK'" in message


@pytest.mark.parametrize("size", [2047, 2048, 2049, 100_000])
def test_history_keeps_the_beginning_of_a_body(size: int) -> None:
    async def steps() -> str:
        async with target({"/": answer(body=b"x" * size)}) as server:
            return await message_of(server.url())

    body = run(steps()).partition(" Body: ")[2]

    assert body == "x" * min(size, 2048)


def test_an_endless_body_is_not_read_and_the_status_decides() -> None:
    written = 0

    async def endless(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal written
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            writer.write(b"x" * 10_000)
            written += 10_000
            await writer.drain()

    async def steps() -> tuple[bool, str]:
        async with target({"/": endless}) as server:
            outcome = await outcome_of(server.url())
            return outcome.succeeded, outcome.message

    succeeded, message = run(steps())

    assert succeeded
    assert message.endswith(" Body: " + "x" * 2048)
    # What the kernel's buffers on both sides take.
    assert written < 20_000_000


def test_a_bomb_of_zeros_is_not_unpacked() -> None:
    async def steps() -> str:
        bomb = gzip.compress(bytes(50_000_000))
        async with target({"/": answer(body=bomb, Content_Encoding="gzip")}) as server:
            return await message_of(server.url())

    assert len(run(steps())) < 3000


def test_headers_that_are_not_ascii_go_out_as_utf8_and_come_in_as_either() -> None:
    async def steps() -> tuple[Received, str]:
        odd = b"HTTP/1.1 200 OK\r\nX-Utf: \xc3\xbc\r\nX-Latin:\xfc\r\nContent-Length: 0\r\n\r\n"
        async with target({"/": odd}) as server:
            message = await message_of(server.url(), headers={"X-Name": "Jürgen ≠ \ud83d"})
            return server.received[0], message

    received, message = run(steps())

    assert received.header("x-name").encode("latin-1").decode() == "Jürgen ≠ ?"
    assert "X-Utf: ü\r\nX-Latin: ü\r\n" in message


def test_interim_answers_and_trailers_are_left_out_of_the_headers() -> None:
    async def steps() -> str:
        whole = (
            b"HTTP/1.1 103 Early Hints\r\nLink: </style>\r\n\r\n"
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"2\r\nhi\r\n0\r\nX-Trailer: 1\r\n\r\n"
        )
        async with target({"/": whole}) as server:
            return await message_of(server.url())

    assert run(steps()).endswith("Headers: Transfer-Encoding: chunked\r\n Body: hi")


@pytest.mark.parametrize(
    ("status", "value", "ticks"),
    [
        ("503 Busy", "120", 120 * SECOND),
        ("429 Slow", "Sat, 10 Jan 2026 00:01:00 GMT", 60 * SECOND),
        ("500 Oops", "120", None),
        ("503 Busy", "soon", None),
    ],
)
def test_a_target_may_ask_to_wait_before_the_next_attempt(
    status: str, value: str, ticks: int | None
) -> None:
    async def steps() -> int | None:
        async with target({"/": answer(status, Retry_After=value)}) as server:
            return (await outcome_of(server.url())).retry_after

    assert run(steps()) == ticks


@pytest.mark.parametrize(
    ("path", "seen"),
    [("/ä b?q=ö", "/%C3%A4%20b?q=%C3%B6"), ("/a%2Fb?x=%20", "/a%2Fb?x=%20"), ("?q", "/?q")],
)
def test_an_address_is_encoded_where_it_must_be(path: str, seen: str) -> None:
    async def steps() -> list[str]:
        async with target() as server:
            await outcome_of(server.url(path))
            return server.paths

    assert run(steps()) == [seen]


def test_a_target_on_ipv6_is_reached() -> None:
    async def steps() -> str:
        async with target(host="::1") as server:
            return await message_of(server.url())

    assert run(steps()).startswith("Http Action - Response from host '::1': 'OK'")


def test_the_environments_proxies_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")

    async def steps() -> bool:
        async with target() as server:
            return (await outcome_of(server.url())).succeeded

    assert run(steps())


def test_a_proxy_is_used_when_one_is_configured() -> None:
    async def steps() -> tuple[bool, list[str]]:
        async with target() as proxy, dispatcher(proxy=proxy.url("")) as opened:
            outcome = await opened.dispatch(a_request("http://elsewhere.invalid/path"))
            return outcome.succeeded, proxy.paths

    assert run(steps()) == (True, ["http://elsewhere.invalid/path"])


def test_an_action_of_another_kind_is_a_failure_not_an_exception() -> None:
    async def steps() -> tuple[bool, str]:
        async with dispatcher() as opened:
            outcome = await opened.dispatch(request_for(DEFINITIONS["queue"].action))
            return outcome.succeeded, outcome.message

    succeeded, message = run(steps())

    assert not succeeded
    assert message.startswith("StorageQueue Action - Message to storage account ")
    assert message.endswith(" failed: UnknownError StorageQueue is not an HTTP action.")
