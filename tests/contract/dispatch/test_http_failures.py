import asyncio
import socket
import struct
from collections.abc import Callable
from typing import Any

import pytest

from foliot.dispatch.http.attempt import HttpDispatcher
from foliot.dispatch.http.curl_multi import Transfers
from tests.contract.dispatch.target import Respond, hang, target
from tests.support.dispatch_harness import a_request, dispatcher, message_of, outcome_of, run

HOST = "Http Action - Request to host '127.0.0.1' failed: "


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_a_name_that_does_not_resolve_is_a_failure() -> None:
    # Longer than a label may be: refused without asking anyone.
    host = f"{'x' * 64}.invalid"

    message = run(message_of(f"http://{host}/path?key=hidden"))

    assert message == (
        f"Http Action - Request to host '{host}' failed: NameResolutionFailure "
        f"The remote name could not be resolved: '{host}'"
    )


def test_a_refused_port_is_a_failure() -> None:
    message = run(message_of(f"http://127.0.0.1:{free_port()}/"))

    assert message == f"{HOST}ConnectFailure Unable to connect to the remote server"


async def _drip(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
    while True:
        writer.write(b".")
        await writer.drain()
        await asyncio.sleep(0.02)


async def _drip_headers(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-More: 1\r\n")
        await writer.drain()
        await asyncio.sleep(0.02)


async def _stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    await reader.read()


@pytest.mark.parametrize(
    "respond", [hang, _drip, _drip_headers, _stall], ids=lambda respond: respond.__name__
)
def test_an_answer_that_does_not_end_by_the_deadline_is_a_failure(respond: Respond) -> None:
    async def steps() -> tuple[bool, str, float]:
        clock = asyncio.get_running_loop()
        async with target({"*": respond}) as server, dispatcher(timeout_seconds=0.2) as opened:
            began_at = clock.time()
            outcome = await opened.dispatch(a_request(server.url()))
            return outcome.succeeded, outcome.message, clock.time() - began_at

    succeeded, message, seconds = run(steps())

    assert (succeeded, message) == (False, f"{HOST}Timeout The operation has timed out")
    assert 0.15 < seconds < 2


def test_each_attempt_has_a_deadline_of_its_own() -> None:
    async def steps() -> float:
        clock = asyncio.get_running_loop()
        async with target({"/hang": hang}) as server, dispatcher(timeout_seconds=0.2) as opened:
            await opened.dispatch(a_request(server.url()))
            await asyncio.sleep(0.1)
            began_at = clock.time()
            await opened.dispatch(a_request(server.url("/hang")))
            took = clock.time() - began_at
            await opened.dispatch(a_request(server.url()))
            # The deadline of what is long done passes meanwhile.
            await asyncio.sleep(0.25)
            return took

    assert 0.15 < run(steps()) < 2


def test_an_attempt_after_its_deadline_is_not_begun() -> None:
    async def steps() -> tuple[str, int]:
        async with target() as server, dispatcher(timeout_seconds=0) as opened:
            outcome = await opened.dispatch(a_request(server.url()))
            return outcome.message, server.connections

    assert run(steps()) == (f"{HOST}Timeout The operation has timed out", 0)


async def _reset(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def _close(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.close()


async def _close_midway(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    writer.close()


def _say(text: bytes) -> Respond:
    async def say(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(text)
        writer.close()

    return say


@pytest.mark.parametrize(
    ("respond", "reason"),
    [
        (_reset, "ReceiveFailure"),
        (_close, "ConnectionClosed"),
        (_close_midway, "ConnectionClosed"),
        (_say(b"SSH-2.0-OpenSSH_9.9\r\n"), "ServerProtocolViolation"),
        (_say(b"HTTP/1.1 200 OK\r\n" + b"X: " + b"x" * 400_000), "MessageLengthLimitExceeded"),
    ],
    ids=["reset", "closed", "closed midway", "not HTTP", "headers without end"],
)
def test_a_truncated_or_malformed_response_is_a_failure(respond: Respond, reason: str) -> None:
    async def steps() -> tuple[bool, str]:
        async with target({"*": respond}) as server:
            outcome = await outcome_of(server.url())
            return outcome.succeeded, outcome.message

    succeeded, message = run(steps())

    assert not succeeded
    assert message.startswith(f"{HOST}{reason} ")


@pytest.mark.parametrize("uri", ["http://[::1", "ftp://127.0.0.1/", "nonsense", "http://"])
def test_an_address_that_cannot_be_requested_is_a_failure(uri: str) -> None:
    outcome = run(outcome_of(uri))

    assert not outcome.succeeded
    assert " failed: InvalidRequest The address cannot be requested: " in outcome.message


def test_the_message_of_a_failure_has_neither_query_nor_user() -> None:
    message = run(message_of(f"http://ann:pa55@127.0.0.1:{free_port()}/path?key=hidden"))

    assert message == f"{HOST}ConnectFailure Unable to connect to the remote server"


def test_a_connection_that_the_target_has_dropped_meanwhile_is_opened_anew() -> None:
    async def steps() -> list[bool]:
        async with target() as server, dispatcher() as opened:
            outcomes = [await opened.dispatch(a_request(server.url()))]
            for writer in list(server.open_connections):
                writer.close()
            await server.all_gone()
            outcomes.append(await opened.dispatch(a_request(server.url())))
            return [outcome.succeeded for outcome in outcomes]

    assert run(steps()) == [True, True]


def test_closing_ends_open_attempts() -> None:
    async def steps() -> list[str]:
        async with target({"*": hang}) as server, dispatcher() as opened:
            waiting = asyncio.ensure_future(opened.dispatch(a_request(server.url())))
            await _until(lambda: bool(server.received))
            await opened.close()
            after = await opened.dispatch(a_request(server.url()))
            return [(await waiting).message, after.message]

    text = f"{HOST}RequestCanceled The request was canceled: the server is stopping."
    assert run(steps()) == [text, text]


def test_closing_ends_attempts_that_have_not_begun_and_opens_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened_at: list[bool] = []

    class CountedTransfers(Transfers):
        def __init__(self, *args: Any, **options: Any) -> None:
            opened_at.append(is_closed)
            super().__init__(*args, **options)

    monkeypatch.setattr("foliot.dispatch.http.client.Transfers", CountedTransfers)
    is_closed = False

    async def steps() -> set[str]:
        nonlocal is_closed
        async with target({"*": hang}) as server, dispatcher() as opened:
            request = a_request(server.url())
            waiting = [asyncio.ensure_future(opened.dispatch(request)) for _ in range(100)]
            await asyncio.sleep(0)
            is_closed = True
            await opened.close()
            waiting.append(asyncio.ensure_future(opened.dispatch(request)))
            return {each.message for each in await asyncio.gather(*waiting)}

    text = f"{HOST}RequestCanceled The request was canceled: the server is stopping."
    assert run(steps()) == {text}
    assert opened_at == [False]


def test_a_cancelled_attempt_leaves_no_transfer_behind() -> None:
    async def steps() -> bool:
        async with target({"/hang": hang}) as server, dispatcher() as opened:
            waiting = asyncio.ensure_future(opened.dispatch(a_request(server.url("/hang"))))
            await _until(lambda: bool(server.received))
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            await server.all_gone()
            return (await opened.dispatch(a_request(server.url()))).succeeded

    assert run(steps())


def test_hanging_targets_do_not_delay_others() -> None:
    async def steps() -> float:
        clock = asyncio.get_running_loop()
        async with target({"/hang": hang}) as server, dispatcher() as opened:
            hanging = [
                asyncio.ensure_future(opened.dispatch(a_request(server.url("/hang"))))
                for _ in range(50)
            ]
            await _until(lambda: len(server.received) == 50)
            began_at = clock.time()
            await opened.dispatch(a_request(server.url()))
            took = clock.time() - began_at
            await opened.close()
            await asyncio.gather(*hanging)
            return took

    assert run(steps()) < 1


def test_an_unexpected_error_is_a_failure_without_its_details(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    unsaid = "pa55"  # by name below: a log shows the lines of code on the way

    async def explode(*_: object, **__: object) -> None:
        raise RuntimeError(unsaid)

    async def steps() -> str:
        async with dispatcher() as opened:
            monkeypatch.setattr(HttpDispatcher, "_attempt", explode)
            return (await opened.dispatch(a_request("http://127.0.0.1/"))).message

    message = run(steps())

    assert message == (
        f"{HOST}UnknownError The attempt ended unexpectedly; the server's log has more."
    )
    assert "Nightly" in caplog.text
    assert "RuntimeError" in caplog.text
    assert unsaid not in caplog.text


async def _until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(5):
        while not is_so():  # noqa: ASYNC110  (what is waited for happens in the target)
            await asyncio.sleep(0.005)
