"""Opens client certificates in a process of their own, and caches them.

The key derivation of a PFX file may take seconds and holds the interpreter's lock, so that a thread
would stop all others. A process can also be killed if it takes too long.
"""

import asyncio
import os
import sys
from asyncio.subprocess import PIPE
from hashlib import blake2b

from msgspec import DecodeError

from foliot.core.model.reason import Reason
from foliot.core.secret import Secret
from foliot.dispatch.auth import open_certificate
from foliot.dispatch.auth.open_certificate import read_reply, write_request
from foliot.dispatch.http.history_messages import TIMEOUT, Failure
from foliot.dispatch.http.outgoing_request import ClientKey

_MAX_CACHED = 256
_MAX_PROCESSES = 4
_SECONDS = 10.0
# Run as a file: importing its package would take longer than opening most certificates.
_COMMAND = (sys.executable, "-I", open_certificate.__file__)

_REASON = Reason.AUTHENTICATION_FAILURE
_BROKEN = Failure(
    _REASON, "authentication.pfx cannot be opened: the file is broken or its password is wrong."
)
_COSTLY = Failure(
    _REASON,
    "authentication.pfx takes too long to open: save it again with fewer rounds or a smaller key.",
)


class Certificates:
    """A cache of opened certificates, in one event loop."""

    def __init__(self, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._cached: dict[bytes, ClientKey | Failure] = {}
        self._opening: dict[bytes, asyncio.Task[ClientKey | Failure]] = {}
        self._processes = asyncio.Semaphore(_MAX_PROCESSES)
        # A salted hash as the key: a memory dump must not show a password.
        self._salt = os.urandom(32)

    async def opened(
        self, pfx: Secret, password: Secret | None, deadline: float
    ) -> ClientKey | Failure:
        """Return the certificate and its key, by a time of the event loop's clock."""
        request = write_request((pfx.reveal(), password and password.reveal()))
        name = blake2b(request, key=self._salt).digest()
        cached = self._cached.get(name)
        if cached is not None:
            return cached
        task = self._opening.get(name)
        if task is None:
            task = self._opening[name] = asyncio.create_task(self._open(name, request))
            task.add_done_callback(lambda _: self._opening.pop(name, None))
        seconds = deadline - asyncio.get_running_loop().time()
        done, _ = await asyncio.wait({task}, timeout=max(0, seconds))
        return task.result() if done else TIMEOUT

    async def close(self) -> None:
        """Stop opening certificates."""
        for task in self._opening.values():
            task.cancel()
        await asyncio.gather(*self._opening.values(), return_exceptions=True)

    async def _open(self, name: bytes, request: bytes) -> ClientKey | Failure:
        async with self._processes:
            found, may_be_cached = await _open_in_process(request, self._seconds)
        if may_be_cached:
            if len(self._cached) >= _MAX_CACHED:
                del self._cached[next(iter(self._cached))]
            self._cached[name] = found
        return found


async def _open_in_process(request: bytes, seconds: float) -> tuple[ClientKey | Failure, bool]:
    """Open a certificate in another process; also return whether the result may be cached."""
    process = await asyncio.create_subprocess_exec(*_COMMAND, stdin=PIPE, stdout=PIPE, env={})
    try:
        async with asyncio.timeout(seconds):
            output, _ = await process.communicate(request)
    except TimeoutError:
        return _COSTLY, False
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        reply = read_reply(output)
    except DecodeError:
        # The process has crashed, because of the file or for want of memory: it may work next time.
        return _BROKEN, False
    return (_BROKEN if reply is None else ClientKey(reply[0], Secret(reply[1].decode()))), True
