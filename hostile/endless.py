"""Targets whose answers are larger than any memory."""

import asyncio
from collections.abc import Mapping
from typing import Any

from chaos.stage import Stage
from hostile.attack import Attack, Result
from hostile.bystanders import bystanders
from hostile.client import Client
from hostile.memory import watching
from hostile.requests import http_job, make_collection, put_all
from hostile.wire import Handle, listening, read_request

SASL = 3
FILLED_MIB = 600
MOST_FRAME_MIB = 250
MOST_ENDLESS_MIB = 96
ENDLESS_SECONDS = 12

_OK = b"HTTP/1.1 200 OK\r\nconnection: close\r\n"


async def amqp_frames(stage: Stage) -> Result:
    """Speak AMQP, and announce a frame of 2 or 4 GB."""
    connected = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connected
        connected += 1
        header = await reader.readexactly(8)
        writer.write(header)
        size = 0xFFFF_FFFF if connected % 2 else 0x7FFF_FFFF
        # A frame of SASL, or of AMQP itself, as the caller has begun.
        kind = 1 if header[4] == SASL else 0
        writer.write(size.to_bytes(4, "big") + bytes([2, kind, 0, 0]))
        # What is reserved is taken only when it is filled.
        for _ in range(FILLED_MIB if connected <= 2 else 1):
            writer.write(bytes(1024**2))
            await writer.drain()
        await asyncio.sleep(20)

    async with listening(answer) as port:
        endpoints = f'{{"evil": "amqp://127.0.0.1:{port}"}}'
        async with (
            stage.server({"FOLIOT_SERVICEBUS_ENDPOINTS": endpoints}) as server,
            Client(server.port) as client,
            bystanders(server) as others,
        ):
            await make_collection(server)
            before = await others.fare()
            planned = await others.plan(10)
            async with watching(server) as growth:
                await put_all(client, {f"amqp-{i}": _bus_job(i) for i in range(8)})
                after = await planned.fare()
    huge = growth.peak_mib > MOST_FRAME_MIB
    return Result(
        tried="AMQP peers that announce frames of 2 and 4 GB",
        count=8,
        happened=(
            f"{connected} connections; memory grew by {growth.peak_mib:.0f} MiB at most; "
            f"others' jobs {after}, {before} before"
        ),
        objections=[
            *([f"memory grew by {growth.peak_mib:.0f} MiB"] if huge else []),
            *([] if connected else ["the peer was never called"]),
            *after.objections(before),
        ],
    )


def _bus_job(number: int) -> Any:
    message = {
        "queueName": f"orders{number}",
        "namespace": "evil",
        "transportType": "amqp",
        "authentication": {
            "type": "sharedAccessKey",
            "sasKeyName": "sender",
            "sasKey": "a2V5IG9mIGEgdGVzdA==",
        },
        "message": "good morning",
    }
    retries = {"retryPolicy": {"retryType": "none"}}
    action = {"type": "ServiceBusQueue", "serviceBusQueueMessage": message, **retries}
    return {"properties": {"action": action}}


async def endless_answers(stage: Stage) -> Result:
    """Answer without end: in heads, in interim answers, in one line, and compressed."""
    async with (
        stage.server() as server,
        Client(server.port) as client,
        bystanders(server) as others,
    ):
        await make_collection(server)
        before = await others.fare()
        kinds: Mapping[str, tuple[bytes, bytes]] = {
            "interim answers": (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 500),
            "headers": (_OK, b"x-endless: y\r\n" * 1000),
            "one header": (_OK + b"x: ", b"y" * 16384),
            "a status line": (b"HTTP/1.1 200 ", b"y" * 16384),
            "one chunk": (
                _OK + b"transfer-encoding: chunked\r\n\r\nffffffffffff\r\n",
                b"y" * 16384,
            ),
            "a chunk's size": (_OK + b"transfer-encoding: chunked\r\n\r\n", b"0" * 16384),
        }
        planned = await others.plan(ENDLESS_SECONDS)
        async with watching(server) as growth:
            await _call_all(client, kinds)
            after = await planned.fare()
    is_large = growth.peak_mib > MOST_ENDLESS_MIB
    return Result(
        tried="answers without end: " + ", ".join(kinds),
        count=10 * len(kinds),
        happened=f"memory grew by {growth.peak_mib:.0f} MiB at most; others' jobs {after}",
        objections=[
            *([f"memory grew by {growth.peak_mib:.0f} MiB"] if is_large else []),
            *after.objections(before),
        ],
    )


async def _call_all(client: Client, kinds: Mapping[str, tuple[bytes, bytes]]) -> None:
    """Let ten jobs call a target of each kind, and serve them for some seconds."""

    def endless(first: bytes, then: bytes) -> Handle:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await read_request(reader)
            writer.write(first)
            while not writer.is_closing():
                writer.write(then)
                await writer.drain()
                # Without end, but not all that a machine can do.
                await asyncio.sleep(0.002)

        return answer

    async with asyncio.TaskGroup() as group:
        for number, (first, then) in enumerate(kinds.values()):
            group.create_task(_serve_to(client, endless(first, then), number))


async def _serve_to(client: Client, handle: Handle, number: int) -> None:
    async with listening(handle) as port:
        uri = f"http://127.0.0.1:{port}/"
        await put_all(client, {f"endless-{number}-{i}": http_job(uri) for i in range(10)})
        await asyncio.sleep(ENDLESS_SECONDS)


ATTACKS: dict[str, Attack] = {
    "amqp-frames": amqp_frames,
    "endless-answers": endless_answers,
}
