"""A way to the database that a test can cut, also between a commit and its answer."""

import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread

Judge = Callable[[bytes], bool]


class Proxy:
    """Listens on loopback and passes bytes on; `cut_before` names what is not to arrive."""

    def __init__(self, target: Path) -> None:
        self._target = str(target)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self._threads: list[Thread] = []
        self.is_away = False
        self.cut_before: Judge | None = None
        self._start(self._accept)

    @property
    def port(self) -> int:
        return self._listener.getsockname()[1]

    def cut(self) -> None:
        """Break all connections."""
        for each in self._open:
            _end(each)

    def close(self) -> None:
        self.is_away = True
        self.cut()
        _end(self._listener)
        for thread in self._threads:
            thread.join()
        for each in (*self._open, self._listener):
            each.close()

    def _start(self, work: Callable[..., None], *arguments: socket.socket) -> None:
        thread = Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._open.append(client)
                if self.is_away:
                    _end(client)
                    continue
                server = socket.socket(socket.AF_UNIX)
                self._open.append(server)
                server.connect(self._target)
                self._start(self._pass_on, client, server)
                self._start(self._pass_on, server, client)

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if self.cut_before is not None and self.cut_before(data):
                    self.cut_before = None
                    self.cut()
                    break
                sink.sendall(data)
        _end(source)
        _end(sink)


def _end(each: socket.socket) -> None:
    with suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)
