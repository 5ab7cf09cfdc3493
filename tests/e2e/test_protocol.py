"""What a server does with bytes that a well-behaved client does not send."""

import json
import re
import resource
import signal
import socket
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.server import (
    COLLECTION,
    DEADLINE,
    Server,
    accepts,
    complaints_in,
    eventually,
    running,
)

BODY = b'{"location": "West US"}'
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n"
LAST = b"GET /healthz HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Server]:
    with running(tmp_path_factory.mktemp("protocol") / "data") as started:
        yield started


@contextmanager
def connected(server: Server) -> Generator[socket.socket]:
    with socket.create_connection((server.host, server.port), DEADLINE) as client:
        yield client


def rest(client: socket.socket) -> bytes:
    """Read until the server closes."""
    parts: list[bytes] = []
    while part := client.recv(65_536):
        parts.append(part)
    return b"".join(parts)


def exchange(server: Server, *packets: bytes) -> bytes:
    """Send packets one by one, and return all that comes back."""
    with connected(server) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for packet in packets:
            client.sendall(packet)
        return rest(client)


def statuses(answers: bytes) -> list[int]:
    return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d{3}) ", answers)]


def put(server: Server, *headers: str, body: bytes = BODY) -> bytes:
    lines = [
        f"PUT {COLLECTION} HTTP/1.1",
        "Host: h",
        f"Authorization: Bearer {server.token}",
        *headers,
    ]
    return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n" + body


def memory(server: Server) -> int:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


def test_requests_in_one_packet_are_answered_in_turn(server: Server) -> None:
    assert statuses(exchange(server, HEALTH * 100 + LAST)) == [200] * 101


def test_a_peer_that_sends_and_does_not_read_is_not_read_from(server: Server) -> None:
    before = memory(server)
    with connected(server) as client:
        client.settimeout(1)
        with pytest.raises(TimeoutError):
            client.sendall(HEALTH * 800_000)

        assert memory(server) - before < 8 * 1024 * 1024
    assert server.call("GET", "/healthz").status == 200


UPGRADES = [
    ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"),
    ("uPGRADE:websocket", "connection: upgrade"),
]


@pytest.mark.parametrize("offer", UPGRADES)
def test_the_body_of_a_request_that_offers_another_protocol_is_its_body(
    server: Server, offer: tuple[str, ...]
) -> None:
    inner = b"DELETE /inner HTTP/1.1\r\nHost: h\r\n\r\n"
    sized = put(server, *offer, f"Content-Length: {len(inner)}", body=inner)
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)
    chunked = put(server, *offer, "Transfer-Encoding: chunked", body=chunks)

    first, second, third = statuses(exchange(server, sized + chunked + LAST))

    assert (first, third) == (400, 200)
    assert second in (200, 201)


def test_a_body_may_look_like_a_head(server: Server) -> None:
    text = json.dumps({"location": "West US", "tags": {"a": "b"}}, indent=1).encode()
    body = text.replace(b"\n", b"\r\nUpgrade: h2c\r\n\r\n")
    chunks = b"%x\r\n%b\r\n0\r\nTrailer: x\r\n\r\n" % (len(body), body)

    answers = exchange(server, put(server, "Transfer-Encoding: chunked", body=chunks) + LAST)

    # It came whole to the application, which does not read it as JSON.
    assert statuses(answers) == [400, 200]
    assert b"not HTTP" not in answers


def test_requests_may_be_cut_anywhere(server: Server) -> None:
    chunks = b"%x\r\n%b\r\n0\r\nT: x\r\n\r\n" % (len(BODY), BODY)
    offer = ("Connection: Upgrade", "Upgrade: h2c")
    sized = put(server, *offer, f"Content-Length: {len(BODY)}")
    chunked = put(server, *offer, "Transfer-Encoding: chunked", body=chunks)
    whole = sized + chunked + b"\r\n" + LAST
    cuts = [0, *range(1, len(whole), 7), len(whole)]

    byte_by_byte = exchange(server, *(bytes([each]) for each in whole))
    in_pieces = exchange(server, *(whole[a:b] for a, b in pairwise(cuts)))

    for answers in (byte_by_byte, in_pieces):
        first, second, third = statuses(answers)
        assert first in (200, 201)
        assert (second, third) == (200, 200)


@pytest.mark.parametrize(
    "sent",
    [
        b"CONNECT h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n" + HEALTH,
        b"GET / HTTP/1.1\r\nHost: h\r\nUpgrade: h2c\r\n folded\r\n\r\n" + HEALTH,
        b"GET / HTTP/1.1\nHost: h\n\n",
        b"\x16\x03\x01",
        b"GET http://h:99999999/ HTTP/1.1\r\nHost: h\r\n\r\n" + HEALTH,
        b"GET / HTTP/1.1\r\nHost: h\r\nX : y\r\n\r\n" + HEALTH,
        b"GET / HTTP/1.1\r\nHost: h\r\nX: y\nZ: z\r\n\r\n" + HEALTH,
        b"GET / HTTP/1.1\r\nHost: h\r\nX: y\rZ: z\r\n\r\n" + HEALTH,
        b"GET / HTTP/1.1\r\nHost: h\r\nX: \0\r\n\r\n" + HEALTH,
        b"GET / HTTP/1.1\r\n Host: h\r\n\r\n" + HEALTH,
        b"GET / HTTP/1.1\r\nHost: h\r\n: y\r\n\r\n" + HEALTH,
        b"GET /healthz\r\n",
        b"GET /healthz\r\n\r\n",
        b"GET  /healthz HTTP/1.1\r\nHost: h\r\n\r\n",
        b"GET /a b HTTP/1.1\r\nHost: h\r\n\r\n",
        b"get / HTTP/1.1\r\nHost: h\r\n\r\n",
        b"GET / http/1.1\r\nHost: h\r\n\r\n",
        b"GET / HTTP/11\r\nHost: h\r\n\r\n",
    ],
    ids=[
        *("CONNECT", "a folded line", "bare line feeds", "TLS", "no address"),
        *("a space before the colon", "a bare line feed", "a bare return", "a zero byte"),
        *("a first field that is folded", "a field without a name"),
        *("HTTP/0.9", "HTTP/0.9 with an empty line", "two spaces", "a space in the address"),
        *("a method in small letters", "a version in small letters", "a version without a dot"),
    ],
)
def test_what_cannot_be_framed_ends_the_connection(server: Server, sent: bytes) -> None:
    answers = exchange(server, sent)

    assert statuses(answers) == [400]
    assert b"not HTTP" in answers


@pytest.mark.parametrize("method", ["BREW", "PROPFIND", "GETS", "M-SEARCH"])
def test_a_method_that_no_address_has_is_refused_with_those_that_some_have(
    server: Server, method: str
) -> None:
    answers = exchange(server, f"{method} / HTTP/1.1\r\nHost: h\r\n\r\n".encode() + HEALTH)

    assert statuses(answers) == [405]
    assert b'"code":"InvalidHttpVerb"' in answers
    assert b"allow: DELETE, GET, HEAD, PATCH, POST, PUT\r\n" in answers


@pytest.mark.parametrize("version", ["0.9", "1.2", "2.0", "3"])
def test_another_version_of_http_is_refused(server: Server, version: str) -> None:
    answers = exchange(server, f"PRI * HTTP/{version}\r\n\r\nSM\r\n\r\n".encode() + HEALTH)

    assert statuses(answers) == [505]
    assert b"HTTP/1.1 and HTTP/1.0" in answers


CHUNKED = "Transfer-Encoding: chunked"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        (["Transfer-Encoding: gzip"], 501),
        (["Transfer-Encoding: identity, chunked"], 501),
        (["Transfer-Encoding: gzip, chunked"], 501),
        (["Transfer-Encoding: chunked, chunked"], 501),
        (["Transfer-Encoding: chunked, identity"], 501),
        (["Transfer-Encoding: xchunked"], 501),
        (["Transfer-Encoding: chunked;q=1"], 501),
        (['Transfer-Encoding: "chunked"'], 501),
        (["Transfer-Encoding:"], 501),
        (["Transfer-Encoding: identity", CHUNKED], 501),
        ([CHUNKED, CHUNKED], 501),
        ([CHUNKED, "Content-Length: 5"], 400),
        (["content-length: 5", CHUNKED], 400),
        (["Content-Length: 5", "Content-Length: 5"], 400),
        (["Content-Length: 5", "Content-Length: 6"], 400),
        (["Content-Length: 5, 5"], 400),
        (["Content-Length: +5"], 400),
        (["Content-Length: -5"], 400),
        (["Content-Length: 0x5"], 400),
        (["Content-Length: 5 5"], 400),
        (["Content-Length:"], 400),
        ([f"Content-Length: {'9' * 16}"], 400),
        ([f"Content-Length: {'9' * 6000}"], 400),
    ],
    ids=lambda value: " and ".join(value)[:60] if isinstance(value, list) else None,
)
def test_a_body_that_two_readers_could_frame_in_two_ways_is_refused(
    server: Server, fields: list[str], status: int
) -> None:
    smuggled = b"0\r\n\r\n" + HEALTH

    assert statuses(exchange(server, put(server, *fields, body=smuggled))) == [status]


def test_chunks_are_of_http_1_1(server: Server) -> None:
    whole = put(server, CHUNKED, body=b"0\r\n\r\n").replace(b"HTTP/1.1", b"HTTP/1.0")

    assert statuses(exchange(server, whole)) == [400]


def test_the_name_of_the_coding_may_be_in_capitals(server: Server) -> None:
    chunks = b"%X\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)

    answers = exchange(server, put(server, "TRANSFER-ENCODING:\tChunked ", body=chunks) + LAST)

    assert statuses(answers)[1] == 200
    assert statuses(answers)[0] in (200, 201)


@pytest.mark.parametrize(
    "chunks",
    [
        b"1\nx\n0\n\n",
        b"1\r\nxx\r\n0\r\n\r\n",
        b"ffffffffffffffffff\r\nx\r\n0\r\n\r\n",
        b"-1\r\nx\r\n0\r\n\r\n",
        b"0x1\r\nx\r\n0\r\n\r\n",
        b" 1\r\nx\r\n0\r\n\r\n",
        b"1 \r\nx\r\n0\r\n\r\n",
        b"\r\n0\r\n\r\n",
        b"1;a=\nb\r\nx\r\n0\r\n\r\n",
        b"1\r\nx\r\n" * 20_000 + b"0\r\n\r\n",
    ],
    ids=[
        *("bare line feeds", "more than it says", "a size without end", "a negative size"),
        *("a prefix", "a space before", "a space after", "no size"),
        *("a line feed in an extension", "too many"),
    ],
)
def test_bad_chunks_are_refused(server: Server, chunks: bytes) -> None:
    assert statuses(exchange(server, put(server, CHUNKED, body=chunks) + HEALTH)) == [400]


def test_small_chunks_are_accepted_if_they_are_few(server: Server) -> None:
    chunks = b"1\r\n \r\n" * 9_000 + b"%X\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)

    first, second = statuses(exchange(server, put(server, CHUNKED, body=chunks) + LAST))

    assert first in (200, 201)
    assert second == 200


@pytest.mark.parametrize(
    "after",
    [
        b"0\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
        b"0\r\nX: ".ljust(200_000, b"y"),
        b"1;x=".ljust(200_000, b"y"),
    ],
    ids=["many", "one without end", "an extension"],
)
def test_trailers_are_limited(server: Server, after: bytes) -> None:
    whole = put(server, "Transfer-Encoding: chunked", body=b"1\r\n{\r\n" + after)

    assert statuses(exchange(server, whole)) == [400]


def test_a_trailer_is_no_header(server: Server) -> None:
    head = put(server, "Transfer-Encoding: chunked", body=b"").replace(b"Authorization", b"X")
    chunks = b"1\r\n{\r\n0\r\nAuthorization: Bearer %b\r\n\r\n" % (server.token or "").encode()

    assert statuses(exchange(server, head + chunks + LAST)) == [401, 200]


@pytest.mark.parametrize("place", ["header", "address"])
def test_a_head_may_have_64_kib_and_not_a_byte_more(server: Server, place: str) -> None:
    for size, status in ((65_536, 200), (65_537, 400)):
        start = b"GET /healthz%b HTTP/1.1\r\nHost: h\r\nConnection: close%b\r\n\r\n"
        fill = b"x" * (size - len(start) + 4 - 5)
        parts = (b"", b"\r\nX: " + fill) if place == "header" else (b"?1234" + fill, b"")
        head = start % parts
        assert len(head) == size
        whole = exchange(server, head)
        pieces = exchange(server, head[:100], head[100:30_000], head[30_000:])

        assert statuses(whole) == statuses(pieces) == [status]
        assert (b"longer than 65536 bytes" in whole) == (status == 400)


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /healthz HTTP/1.1\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n", 400),
        (b"GET /healthz HTTP/1.0\r\n\r\n", 200),
    ],
    ids=["none", "two", "none is needed"],
)
def test_a_request_has_one_host(server: Server, head: bytes, status: int) -> None:
    answer = exchange(server, head)

    assert statuses(answer) == [status]
    assert (b"one Host header" in answer) == (status == 400)


@pytest.mark.parametrize(
    ("is_known", "status"), [(True, 413), (False, 401)], ids=["too large", "not signed in"]
)
def test_an_answer_before_the_end_of_a_body_arrives(
    server: Server, *, is_known: bool, status: int
) -> None:
    for _ in range(5):
        connection = server.connect()
        sent = {"Authorization": f"Bearer {server.token}"} if is_known else {}
        connection.request("PUT", COLLECTION, b"x" * 5 * 1024 * 1024, sent)
        assert connection.getresponse().status == status
        connection.close()


def test_a_refusal_arrives_although_more_is_sent(server: Server) -> None:
    for _ in range(5):
        answers = exchange(server, b"GET / HTTP/1.1\r\n\r\n", *([b"x" * 65_536] * 40), b"")
        assert statuses(answers) == [400]


def test_an_answer_in_place_of_a_go_ahead_ends_the_connection(server: Server) -> None:
    head = f"PUT {COLLECTION} HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\nExpect: 100-continue\r\n"

    assert statuses(exchange(server, head.encode() + b"\r\n")) == [401]


def test_a_client_that_leaves_and_a_body_that_never_comes_are_no_errors(tmp_path: Path) -> None:
    with running(tmp_path / "data") as server:
        for _ in range(20):
            with connected(server) as client:
                client.sendall(put(server, f"Content-Length: {len(BODY)}") * 50)
        with connected(server) as client:
            client.sendall(put(server, "Content-Length: 9", "Expect: 100-continue", body=b""))
            assert client.recv(1000).startswith(b"HTTP/1.1 100")
            server.process.send_signal(signal.SIGTERM)
            eventually(lambda: not accepts(server))
            # The second time there is no grace.
            code, _, log = server.stop()

    assert (code, complaints_in(log)) == (0, [])


def test_a_server_without_descriptors_says_so(tmp_path: Path) -> None:
    with running(tmp_path / "data") as server:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (3, most))
        eventually(lambda: "New connections are refused" in server.log())
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (most, most))

        assert "error='Too many open files'" in server.log()
        assert server.call("GET", "/healthz").status == 200


SLOW_FORM = (
    b"POST /sign-in HTTP/1.1\r\nHost: h\r\nOrigin: http://h\r\nContent-Length: 9000\r\n\r\nt"
)


@contextmanager
def open_connections(server: Server, count: int, sent: bytes) -> Generator[list[socket.socket]]:
    """Open connections from one address, send something on each, and leave them open."""
    with ExitStack() as stack:
        clients: list[socket.socket] = []
        for _ in range(count):
            client = stack.enter_context(connected(server))
            clients.append(client)
            with suppress(ConnectionError):
                client.sendall(sent)
        yield clients


@pytest.mark.parametrize("sent", [b"", b"GET", SLOW_FORM], ids=["nothing", "half a head", "a form"])
@pytest.mark.parametrize("tls", ["none", "auto"])
def test_connections_of_one_address_leave_descriptors_for_others(
    tmp_path: Path, sent: bytes, tls: str
) -> None:
    with running(tmp_path / "data", "--tls", tls) as server:
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (256, most))
        server.authority = tmp_path / "data" / "tls" / "ca.pem"
        with open_connections(server, 300, sent):
            other = server.connect()
            other.source_address = ("127.0.0.2", 0)
            other.request("GET", "/healthz")

            assert other.getresponse().status == 200
            other.close()


def test_forms_without_a_session_are_not_kept_in_memory(server: Server) -> None:
    head = b"POST %b HTTP/1.1\r\nHost: h\r\nOrigin: http://h\r\nContent-Length: 1000000\r\n\r\n"
    sent = 120 * 999_000
    before = memory(server)
    with (
        open_connections(server, 60, head % b"/sign-in") as some,
        open_connections(server, 60, head % b"/tokens") as more,
    ):
        for client in (*some, *more):
            client.settimeout(0.05)
            with suppress(OSError):
                client.sendall(b"x" * 999_000)
        # What has been sent is read between other requests.
        for _ in range(50):
            assert server.call("GET", "/healthz").status == 200

        # Each connection may hold what was read before it was paused, a seventh of a form at most.
        assert memory(server) - before < sent / 3
