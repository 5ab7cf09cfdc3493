"""nginx before nodes, with the very file that `deploy/` has: only places and ports are others."""

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC
from email.message import Message
from http.client import HTTPSConnection
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple

from foliot.core.instant import Wall, reading_of
from foliot.ports import clock
from foliot.web.server.tls import certify
from tests.support.server import DEADLINE, eventually

CONFIG = Path(__file__).parents[2] / "deploy" / "nginx.conf"
NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
_NODES = re.compile(r"( *server )node-\d:8080( .*\n)(?: *server node-.*\n)*")


class Answer(NamedTuple):
    status: int
    headers: Message
    text: str

    @property
    def content(self) -> Any:
        return json.loads(self.text)


class Balancer:
    """An nginx that listens on loopback."""

    def __init__(self, port: int, authority: Path) -> None:
        self.port = port
        self.origin = f"https://localhost:{port}"
        self._context = ssl.create_default_context(cafile=authority)

    def call(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        token: str | None = "t" * 40,
        **headers: str,
    ) -> Answer:
        """Make a call; of a header's name `_` is `-`."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token is not None:
            sent["Authorization"] = f"Bearer {token}"
        data = body if isinstance(body, str | None) else json.dumps(body)
        connection = HTTPSConnection(
            "localhost", self.port, timeout=DEADLINE, context=self._context
        )
        try:
            connection.request(method, path, data, sent)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read().decode())
        finally:
            connection.close()

    def listens(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), DEADLINE).close()
        except ConnectionError:
            return False
        return True


@contextmanager
def balancing(folder: Path, ports: Sequence[int]) -> Generator[Balancer]:
    """Run nginx before the nodes that listen on these ports."""
    made = certify(folder / "tls", ["localhost"], reading_of(Wall(clock.now())).replace(tzinfo=UTC))
    port = _free_port()
    config = folder / "nginx.conf"
    config.write_text(_config(ports, port, folder).format(pem=made.certificate, key=made.key))
    words = "daemon off;" + (" user root;" if os.geteuid() == 0 else "")
    process = subprocess.Popen(  # noqa: S603  (nginx, on our own file)
        [str(NGINX), "-e", "stderr", "-c", str(config), "-g", words],
        stderr=subprocess.PIPE,
        text=True,
    )
    balancer = Balancer(port, made.authority)
    try:
        eventually(lambda: balancer.listens() or process.poll() is not None)
        yield balancer
    finally:
        process.terminate()
        _, complaints = process.communicate(timeout=DEADLINE)
        assert "[emerg]" not in complaints, complaints


def _config(ports: Sequence[int], port: int, folder: Path) -> str:
    text = CONFIG.read_text().replace("{", "{{").replace("}", "}}")
    nodes = "".join(f"\\g<1>127.0.0.1:{each}\\g<2>" for each in ports)
    text, count = _NODES.subn(nodes, text)
    assert count == 1
    for old, new in (
        ("/tmp/foliot-nginx", f"{folder}/nginx"),  # noqa: S108  (a place in the file)
        ("listen 8443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("/etc/nginx/tls/foliot.pem", "{pem}"),
        ("/etc/nginx/tls/foliot.key", "{key}"),
    ):
        assert old in text
        text = text.replace(old, new)
    return text


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


class DyingNode:
    """Takes a request whole, and ends without an answer: it may have been done, or not."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.taken: list[bytes] = []
        self._is_over = Event()
        self._thread = Thread(target=self._work, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._is_over.set()
        socket.create_connection(("127.0.0.1", self.port), DEADLINE).close()
        self._thread.join(DEADLINE)
        self._listener.close()

    def _work(self) -> None:
        while True:
            caller, _ = self._listener.accept()
            with caller:
                if self._is_over.is_set():
                    return
                request = b""
                while b"\r\n\r\n" not in request:
                    request += caller.recv(65_536)
                self.taken.append(request)
