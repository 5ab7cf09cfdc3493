"""Sockets that send what no client sends, and targets that answer what no server answers."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def exchange(port: int, sent: bytes, seconds: float = 3) -> bytes:
    """Send bytes, and return all that comes back until the other side closes or falls silent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    received = bytearray()
    with suppress(TimeoutError, OSError):
        writer.write(sent)
        await writer.drain()
        async with asyncio.timeout(seconds):
            while piece := await reader.read(65536):
                received += piece
    writer.close()
    return bytes(received)


async def drip(port: int, head: bytes, until: asyncio.Event, source: str) -> bool:
    """Send a head and then a byte each second; tell whether the connection lasted to the end."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    except OSError:
        return False
    try:
        writer.write(head)
        while not until.is_set():
            writer.write(b"x")
            await writer.drain()
            with suppress(TimeoutError):
                async with asyncio.timeout(1):
                    # Whatever is answered, the server has had enough.
                    await reader.read(1)
                    return False
    except OSError:
        return False
    finally:
        writer.close()
    return True


@asynccontextmanager
async def listening(handle: Handle, host: str = "127.0.0.1") -> AsyncGenerator[int]:
    """Serve connections by hand; yields the port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Cancelled in the end, or cut by the other side.
        with suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await handle(reader, writer)
        writer.close()

    server = await asyncio.start_server(serve, host, 0, backlog=4096)
    try:
        yield int(server.sockets[0].getsockname()[1])
    finally:
        server.close()


async def read_request(reader: asyncio.StreamReader) -> str:
    """Return the head of a request, when its body has been read."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    for line in head.lower().split("\r\n"):
        if line.startswith("content-length:"):
            await reader.readexactly(int(line.partition(":")[2]))
    return head
