"""Client certificates, opened once and kept: opening one may take seconds of a processor.

A key derivation holds the interpreter's lock, so that a thread would stop all others: it is done in
a process of its own, which is ended if it takes too long.
"""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from hashlib import blake2b

from msgspec import DecodeError

from foliot.core.secret import Secret
from foliot.dispatch.auth import open_certificate
from foliot.dispatch.auth.open_certificate import read_reply, write_request
from foliot.dispatch.http.history_messages import TIMEOUT, Failure
from foliot.dispatch.http.outgoing_request import ClientKey

_MOST_KEPT = 256
_AT_A_TIME = 4
_SECONDS = 10.0
# As a file, not as a part of its package, which would take longer to import than most to open.
_COMMAND = (sys.executable, "-I", open_certificate.__file__)

_REASON = "AuthenticationFailure"
_BROKEN = Failure(
    _REASON, "authentication.pfx cannot be opened: the file is broken or its password is wrong."
)
_COSTLY = Failure(
    _REASON,
    "authentication.pfx takes too long to open: save it again with fewer rounds or a smaller key.",
)


class Certificates:
    """Opened certificates by what they were opened from, in one event loop."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._kept: dict[bytes, ClientKey | Failure] = {}
        self._opening: dict[bytes, asyncio.Task[ClientKey | Failure]] = {}
        self._places = asyncio.Semaphore(_AT_A_TIME)
        # What is kept under must not tell a password to whoever sees the memory.
        self._salt = os.urandom(32)

    async def opened(
        self, pfx: Secret, password: Secret | None, deadline: float
    ) -> ClientKey | Failure:
        """Return certificate and key by a time of the event loop's clock."""
        request = write_request((pfx.reveal(), password and password.reveal()))
        name = blake2b(request, key=self._salt).digest()
        kept = self._kept.get(name)
        if kept is not None:
            return kept
        task = self._opening.get(name)
        if task is None:
            task = self._opening[name] = asyncio.create_task(self._open(name, request))
            task.add_done_callback(lambda _: self._opening.pop(name, None))
        seconds = deadline - asyncio.get_running_loop().time()
        done, _ = await asyncio.wait({task}, timeout=max(0, seconds))
        return task.result() if done else TIMEOUT

    async def close(self) -> None:
        """Stop opening."""
        for task in self._opening.values():
            task.cancel()
        await asyncio.gather(*self._opening.values(), return_exceptions=True)

    async def _open(self, name: bytes, request: bytes) -> ClientKey | Failure:
        async with self._places:
            found, is_certain = await _opened_elsewhere(request, self._seconds)
        if is_certain:
            if len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[name] = found
        return found


async def _opened_elsewhere(request: bytes, seconds: float) -> tuple[ClientKey | Failure, bool]:
    """Return what came of it, and whether that would be the same another time."""
    process = await asyncio.create_subprocess_exec(*_COMMAND, stdin=PIPE, stdout=PIPE, env={})
    try:
        async with asyncio.timeout(seconds):
            told, _ = await process.communicate(request)
    except TimeoutError:
        return _COSTLY, False
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        reply = read_reply(told)
    except DecodeError:
        # It ended in the middle: of what the file made it do, or of a lack of memory.
        return _BROKEN, False
    return (_BROKEN if reply is None else ClientKey(reply[0], Secret(reply[1].decode()))), True
