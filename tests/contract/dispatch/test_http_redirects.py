import asyncio
from pathlib import Path

import pytest

from foliot.core.model.action import BasicAuthentication, ClientCertificate
from foliot.core.secret import Secret
from foliot.dispatch.egress.parse_rules import parse_egress
from tests.contract.dispatch.target import Received, Target, answer, redirect, target
from tests.support.dispatch_harness import (
    an_errand,
    dispatcher,
    message_of,
    outcome_of,
    run,
)
from tests.support.tls_authority import PASSWORD, Authority

BASIC = BasicAuthentication(username="ann", password=Secret("pa55"))
CREDENTIALS = {"Cookie": "crumb=1", "X-Api-Key": "stays"}


@pytest.mark.parametrize(
    ("status", "method", "arrives_as"),
    [
        (301, "GET", "GET"),
        (301, "POST", "GET"),
        (301, "PUT", "PUT"),
        (302, "POST", "GET"),
        (302, "HEAD", "HEAD"),
        (302, "DELETE", "DELETE"),
        (303, "GET", "GET"),
        (303, "HEAD", "HEAD"),
        (303, "POST", "GET"),
        (303, "PUT", "GET"),
        (307, "POST", "POST"),
        (307, "PATCH", "PATCH"),
        (308, "POST", "POST"),
    ],
)
def test_a_redirect_changes_the_method_as_in_a_browser(
    status: int, method: str, arrives_as: str
) -> None:
    body = "" if method in {"GET", "HEAD"} else "text"

    async def steps() -> Received:
        async with target({"/a": redirect("/b", f"{status} Moved")}) as server:
            headers = {"Content-Type": "text/plain", "X-Kept": "1"}
            await outcome_of(server.url("/a"), method=method, body=body, headers=headers)
            return server.received[1]

    received = run(steps())

    assert (received.method, received.path) == (arrives_as, "/b")
    changed = arrives_as != method
    assert received.body == (b"" if changed else body.encode())
    assert received.header("content-type") == (None if changed else "text/plain")
    assert received.header("x-kept") == "1"
    assert received.header("x-ms-execution-tag")


@pytest.mark.parametrize(
    ("location", "arrives_at"),
    [
        ("/c", "/c"),
        ("c?x=1", "/a/c?x=1"),
        ("../c", "/c"),
        ("?x=1", "/a/b?x=1"),
        (" /c d ", "/c%20d"),
        ("/ä", "/%C3%A4"),
        ("/c#part", "/c"),
    ],
)
def test_a_location_may_be_relative_and_untidy(location: str, arrives_at: str) -> None:
    async def steps() -> list[str]:
        async with target({"/a/b": redirect(location)}) as server:
            server.routes[arrives_at] = answer()
            await outcome_of(server.url("/a/b"))
            return server.paths

    assert run(steps())[1] == arrives_at


def test_the_host_that_answered_in_the_end_is_named() -> None:
    async def steps() -> str:
        async with target() as last:
            location = last.url("/", host="localhost")
            async with target({"*": redirect(location)}) as first:
                return await message_of(first.url())

    assert run(steps()).startswith("Http Action - Response from host 'localhost': 'OK'")


def test_ten_redirects_are_followed() -> None:
    async def steps() -> tuple[bool, int]:
        routes = {f"/{n}": redirect(f"/{n + 1}") for n in range(10)}
        async with target(routes) as server:
            outcome = await outcome_of(server.url("/0"))
            return outcome.succeeded, len(server.received)

    assert run(steps()) == (True, 11)


def test_the_eleventh_redirect_is_not_followed() -> None:
    async def steps() -> tuple[str, int]:
        routes = {f"/{n}": redirect(f"/{n + 1}") for n in range(20)}
        async with target(routes) as server:
            return await message_of(server.url("/0")), len(server.received)

    assert run(steps()) == (
        "Http Action - Request to host '127.0.0.1' failed: TooManyRedirects "
        "Too many automatic redirections were attempted: more than 10.",
        11,
    )


@pytest.mark.parametrize("routes", [{"/": "/"}, {"/": "/b", "/b": "/"}], ids=["one", "two"])
def test_a_circle_ends_and_is_called_one(routes: dict[str, str]) -> None:
    async def steps() -> str:
        async with target({path: redirect(to) for path, to in routes.items()}) as server:
            return await message_of(server.url())

    assert run(steps()).endswith("more than 10. They lead in a circle.")


@pytest.mark.parametrize(
    ("location", "problem"),
    [
        ("file:///etc/passwd", "'file' is not allowed; only http and https are"),
        ("ftp://127.0.0.1/x", "'ftp' is not allowed; only http and https are"),
        ("gopher:x", "'gopher' is not allowed; only http and https are"),
        ("http://[::1", "it is not an address such as https://example.com/path"),
        ("http://a b/", "it is not an address such as https://example.com/path"),
        ("http://h:99999/", "it is not an address such as https://example.com/path"),
    ],
)
def test_a_redirect_to_what_is_no_web_address_is_a_failure(location: str, problem: str) -> None:
    async def steps() -> str:
        async with target({"*": redirect(location)}) as server:
            return await message_of(server.url())

    assert run(steps()).endswith(
        f"failed: ProtocolError The redirect cannot be followed: {problem}."
    )


def test_a_redirect_without_a_location_is_an_answer() -> None:
    async def steps() -> tuple[bool, str]:
        async with target({"*": answer("302 Found", b"nowhere")}) as server:
            outcome = await outcome_of(server.url())
            return outcome.succeeded, outcome.message

    succeeded, message = run(steps())

    assert not succeeded
    assert "'Found'" in message


async def _second_request(first: Target, second: Target, path: str = "/") -> Received:
    first.routes["*"] = redirect(second.url(path))
    await outcome_of(first.url("/start"), headers=CREDENTIALS, authentication=BASIC)
    return second.received[-1]


def test_to_the_same_origin_credentials_go_along() -> None:
    async def steps() -> Received:
        async with target({"/a": redirect("/b")}) as server:
            await outcome_of(server.url("/a"), headers=CREDENTIALS, authentication=BASIC)
            return server.received[1]

    received = run(steps())

    assert received.header("authorization") == "Basic YW5uOnBhNTU="
    assert received.header("cookie") == "crumb=1"


def test_to_another_origin_no_credentials_go_along() -> None:
    async def steps() -> Received:
        async with target() as first, target() as second:
            return await _second_request(first, second)

    received = run(steps())

    assert received.header("authorization") is None
    assert received.header("cookie") is None
    assert received.header("x-api-key") is None
    assert received.header("user-agent")
    assert received.header("x-ms-execution-tag")


@pytest.mark.parametrize("status", ["301 M", "302 F", "303 S", "307 T", "308 P"])
def test_to_another_origin_none_of_the_jobs_headers_go_along_that_may_be_credentials(
    status: str,
) -> None:
    own = {
        "X-Api-Key": "a",
        "Ocp-Apim-Subscription-Key": "b",
        "x-functions-key": "c",
        "X-Auth-Token": "d",
        "X-Anything": "e",
        "X-Empty": "",
        "Proxy-Authorization": "f",
    }
    harmless = {"Accept": "text/css", "Accept-Language": "de", "Content-Type": "text/plain"}

    async def steps() -> tuple[Received, Received]:
        async with target() as first, target() as second:
            first.routes["*"] = redirect(second.url(), status)
            await outcome_of(first.url(), method="PUT", body="x", headers=own | harmless)
            return first.received[0], second.received[0]

    before, after = run(steps())

    assert {name for name in own if before.header(name) is None} == {"Proxy-Authorization"}
    assert [name for name in own if after.header(name) is not None] == []
    assert after.header("accept") == "text/css"
    assert after.header("accept-language") == "de"
    assert after.header("content-type") == (None if status == "303 S" else "text/plain")


def test_credentials_that_were_left_behind_do_not_come_back() -> None:
    async def steps() -> Received:
        async with target() as first, target() as second:
            second.routes["*"] = redirect(first.url("/end"))
            first.routes["/end"] = answer()
            first.routes["/start"] = redirect(second.url())
            await outcome_of(first.url("/start"), headers=CREDENTIALS, authentication=BASIC)
            return first.received[-1]

    received = run(steps())

    assert received.path == "/end"
    assert received.header("authorization") is None


def test_what_a_location_says_of_a_user_is_not_believed() -> None:
    async def steps() -> Received:
        async with target() as server:
            location = server.url("/b").replace("//", "//eve:secret@")
            server.routes["/a"] = redirect(location)
            await outcome_of(server.url("/a"))
            return server.received[1]

    assert run(steps()).header("authorization") is None


def test_from_https_to_http_no_credentials_go_along(authority: Authority) -> None:
    async def steps() -> Received:
        async with target(tls=authority.server()) as first, target() as second:
            first.routes["*"] = redirect(second.url())
            errand = an_errand(first.url(), headers=CREDENTIALS, authentication=BASIC)
            async with dispatcher(ca_file=authority.file) as opened:
                await opened.dispatch(errand)
            assert first.received[0].header("authorization")
            return second.received[0]

    received = run(steps())

    assert received.header("authorization") is None
    assert received.header("cookie") is None


def test_to_another_origin_no_client_certificate_goes_along(authority: Authority) -> None:
    certificate = ClientCertificate(
        pfx=Secret(authority.issue("client").pfx()), password=Secret(PASSWORD)
    )

    async def steps() -> tuple[list[object], list[object]]:
        tls = authority.server(asks=True)
        async with target(tls=tls) as first, target(tls=tls) as second:
            first.routes["*"] = redirect(second.url())
            async with dispatcher(ca_file=authority.file) as opened:
                await opened.dispatch(an_errand(first.url(), authentication=certificate))
            return first.peer_certificates, second.peer_certificates

    shown, kept_back = run(steps())

    assert shown[0]
    assert not kept_back[0]


def test_a_redirect_to_a_denied_address_is_not_followed() -> None:
    async def steps() -> tuple[str, int]:
        async with target() as denied, target({"*": redirect(denied.url())}) as server:
            egress = parse_egress(None, f"127.0.0.1:{denied.port}", None)
            async with dispatcher(egress) as opened:
                outcome = await opened.dispatch(an_errand(server.url()))
            return outcome.message, denied.connections

    message, connections = run(steps())

    assert "failed: EgressDenied The request is not allowed: the address 127.0.0.1" in message
    assert connections == 0


def test_the_deadline_covers_all_redirects_together() -> None:
    async def slowly(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.15)
        writer.write(redirect("/"))

    async def steps() -> tuple[str, int]:
        async with target({"*": slowly}) as server, dispatcher(timeout_seconds=0.4) as opened:
            outcome = await opened.dispatch(an_errand(server.url()))
            return outcome.message, len(server.received)

    message, requests = run(steps())

    assert message.endswith("failed: Timeout The operation has timed out")
    assert requests <= 3


def test_a_local_file_is_never_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hidden")

    message = run(message_of(f"file://{tmp_path}/secret"))

    assert "only http and https" in message
    assert "hidden" not in message
