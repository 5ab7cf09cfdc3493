"""A proxy before a server that kills the client at its n-th change: before or after it is made."""

import re
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from threading import Event
from typing import Any

from tests.support.http_proxy import forwarded, listening

_APPLYING = re.compile(r".*/apply(?:\?.*)?")


class KillingProxy:
    """Passes requests on, and counts those that change something."""

    def __init__(self, server: str) -> None:
        self.changes: list[str] = []
        self._server = server
        self._victim: subprocess.Popen[Any] | None = None
        self._has_victim = Event()
        self._at: int | None = None
        self._is_after = False
        self.url = ""

    def plan(self, at: int | None, *, is_after: bool) -> None:
        """Forget what was; kill the next client at its change of this number."""
        self.changes.clear()
        self._has_victim.clear()
        self._at, self._is_after = at, is_after

    def watch(self, process: "subprocess.Popen[Any]") -> None:
        """Name the client."""
        self._victim = process
        self._has_victim.set()

    def pass_on(self, method: str, path: str, headers: Any, body: bytes) -> tuple[int, bytes]:
        """Make a call of the client, unless the client is killed instead."""
        assert self._has_victim.wait(30)
        is_last = False
        if method in {"PUT", "DELETE"} or (method == "POST" and _APPLYING.fullmatch(path)):
            self.changes.append(f"{method} {path.partition('?')[0]}")
            is_last = len(self.changes) == self._at
        if is_last and not self._is_after:
            self._kill()
            return 503, b""
        found = forwarded(self._server, method, path, headers, body)
        if is_last:
            self._kill()
        return found

    def _kill(self) -> None:
        assert self._victim
        self._victim.kill()
        self._victim.wait(30)


@contextmanager
def proxy_of(server: str) -> Generator[KillingProxy]:
    """Run a proxy before a server."""
    proxy = KillingProxy(server)
    with listening(proxy):
        yield proxy
