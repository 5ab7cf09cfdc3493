"""Peers that announce or send too much over AMQP."""

import asyncio
import tracemalloc
from contextlib import suppress

import pytest
from azure.servicebus._pyamqp import _decode
from azure.servicebus._pyamqp.aio import _transport_async

from foliot.core.model.attempt import Outcome
from foliot.dispatch.service_bus.amqp_frame_limits import MAX_BYTES, bound_frames
from tests.contract.dispatch.test_service_bus_amqp import dispatcher
from tests.contract.dispatch.test_service_bus_http import bus_request
from tests.support.dispatch_harness import run

SASL_HEADER = b"AMQP\x03\x01\x00\x00"
TOO_MUCH = (
    "failed: MessageLengthLimitExceeded The server announced or sent more than is read of an answer"
)
VIOLATION = "failed: ServerProtocolViolation The server committed a protocol violation."
MEGABYTE = 1024 * 1024


def frame(body: bytes, kind: int = 1) -> bytes:
    return (len(body) + 8).to_bytes(4, "big") + bytes([2, kind, 0, 0]) + body


def announced(size: int) -> bytes:
    return size.to_bytes(4, "big") + b"\x02\x01\x00\x00"


async def attempt(said: bytes) -> str:
    """Send a message to a peer that says this, whatever it is sent."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(8)
        writer.write(SASL_HEADER + said)
        with suppress(OSError):
            await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, dispatcher(port) as opened:
        outcome = await opened.dispatch(bus_request())
    assert isinstance(outcome, Outcome)
    assert not outcome.succeeded
    return outcome.message


@pytest.mark.parametrize("size", [65_537, 2**31 - 1, 2**31, 2**32 - 1], ids=hex)
def test_a_frame_that_is_announced_too_large_is_neither_allocated_nor_read(size: int) -> None:
    async def steps() -> None:
        await attempt(announced(65_537))
        tracemalloc.start()
        try:
            assert TOO_MUCH in await attempt(announced(size))
            assert tracemalloc.get_traced_memory()[1] < 16 * MEGABYTE
        finally:
            tracemalloc.stop()

    run(steps())


def test_frames_without_end_are_not_read() -> None:
    # It lets the client in, and then sends large frames that mean nothing.
    mechanisms = frame(b"\x00\x53\x40\xc0\x0f\x01\xe0\x0c\x01\xa3\x09ANONYMOUS")
    outcome = frame(b"\x00\x53\x44\xc0\x03\x01\x50\x00")
    said = mechanisms + outcome + b"AMQP\x00\x01\x00\x00"

    count = (60_000).to_bytes(4, "big")
    nonsense = frame(b"\x00\x53\x7f\xd0" + count + count + b"\x40" * 60_000, 0)

    assert TOO_MUCH in run(attempt(said + nonsense * 10))


@pytest.mark.parametrize(
    "array",
    [
        b"\xf0\x00\x00\x00\x05\x00\x01\x00\x00\x40",
        b"\xf0\x00\x00\x00\x05\x00\x01\x00\x00\x45",
        b"\xf0\x00\x00\x00\x05\x00\x01\x00\x00\x00\x43\x40",
        b"\xe0\x02\xff\x40",
    ],
    ids=["nulls", "empty lists", "described nulls", "a few nulls"],
)
def test_arrays_of_elements_without_bytes_are_not_allocated(array: bytes) -> None:
    # A list of very many such arrays would fill gigabytes from one frame.
    count = 60_000 // len(array)
    fields = b"\xd0" + (8).to_bytes(4, "big") + count.to_bytes(4, "big") + array * count
    mechanisms = b"\x00\x53\x40" + fields

    assert VIOLATION in run(attempt(frame(mechanisms)))


@pytest.mark.parametrize(
    "body",
    [b"\x00\x53\x40\xd0" + b"\xff" * 8, b"\x00\x53\x40\xc0\x01\xff", b"\x00\x53", b"\xb0" * 20],
    ids=["a long list", "fewer fields than announced", "half a frame", "no performative"],
)
def test_frames_shorter_than_announced_are_a_protocol_violation(body: bytes) -> None:
    assert VIOLATION in run(attempt(frame(body)))


def test_an_empty_array_is_read() -> None:
    decode = _decode._DECODE_BY_CONSTRUCTOR[0xF0]  # noqa: SLF001
    rest, values = decode(memoryview(b"\x00\x00\x00\x04" + bytes(4) + b"\x40"))

    assert (bytes(rest), values) == (b"\x40", [])


def test_the_limits_are_patched_into_the_client_once() -> None:
    before = _transport_async.AsyncTransport._read  # noqa: SLF001
    bound_frames()

    assert _transport_async.AsyncTransport._read is before  # noqa: SLF001
    assert MAX_BYTES > 0
