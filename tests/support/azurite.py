"""Azurite, Microsoft's emulator of storage queues: a real process on loopback."""

import re
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Timer
from typing import Any, NamedTuple
from uuid import uuid4

from azure.storage.queue import QueueClient, QueueSasPermissions, generate_queue_sas

from tests.support import npm

# Known to everyone who has read its documentation: there is nothing behind it.
ACCOUNT = "devstoreaccount1"
ACCOUNT_KEY = (
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)
SOME_DAY = datetime(2100, 1, 1, tzinfo=UTC)

_CACHE = npm.CACHE / "azurite"
_PROGRAM = _CACHE / "node_modules/.bin/azurite-queue"
_READY = re.compile(r"successfully listens on http://127\.0\.0\.1:(\d+)")
_DEADLINE = 60


class Queue(NamedTuple):
    """A queue that exists, with Microsoft's own client for it."""

    client: QueueClient
    name: str

    def sas(self, *, expiry: datetime = SOME_DAY, **permissions: bool) -> str:
        """Return a token, which permits to add messages unless something else is said."""
        allowed = QueueSasPermissions(**(permissions or {"add": True}))
        return generate_queue_sas(
            ACCOUNT, self.name, ACCOUNT_KEY, permission=allowed, expiry=expiry
        )

    def texts(self) -> list[str]:
        """Take all messages off."""
        return [message.content for message in self.client.receive_messages()]


class Azurite:
    """A queue service that can be killed and started again in the same place."""

    def __init__(self) -> None:
        self.port = 0
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/{ACCOUNT}"

    def start(self) -> None:
        process = subprocess.Popen(  # noqa: S603  (our own command)
            [
                *(_PROGRAM, "--queuePort", str(self.port), "--queueHost", "127.0.0.1"),
                *(
                    "--inMemoryPersistence",
                    "--skipApiVersionCheck",
                    "--disableTelemetry",
                    "--silent",
                ),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=_CACHE,
        )
        self._process = process
        watchdog = Timer(_DEADLINE, process.kill)
        watchdog.start()
        assert process.stdout
        said = ""
        for line in process.stdout:
            said += line
            if found := _READY.search(line):
                self.port = int(found[1])
                watchdog.cancel()
                return
        raise AssertionError(said)

    def kill(self) -> None:
        """End it as a crash would; what was in its queues is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate(timeout=_DEADLINE)
            self._process = None

    def queue(self, name: str | None = None, **options: Any) -> Queue:
        """Create a queue of a name that no other test uses."""
        client = self.client(name or f"q-{uuid4().hex}", **options)
        client.create_queue()
        return Queue(client, client.queue_name)

    def client(self, name: str, **options: Any) -> QueueClient:
        return QueueClient(self.url, name, credential=ACCOUNT_KEY, **options)


@contextmanager
def running() -> Generator[Azurite]:
    """Run a queue service for the length of a block."""
    install()
    azurite = Azurite()
    azurite.start()
    try:
        yield azurite
    finally:
        azurite.kill()


def install() -> None:
    """Install it once, into a folder that later runs find again; skip where that is impossible."""
    npm.install(_CACHE, "install", "--no-save", "azurite", makes=_PROGRAM)
