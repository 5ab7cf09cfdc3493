"""Ports of loopback, and whose they are."""

import re
import socket
from contextlib import suppress
from pathlib import Path

_SOCKET = re.compile(r"socket:\[(\d+)\]")


def free_port() -> int:
    """Return a port that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def ports_of(process: int) -> frozenset[int]:
    """Return the own ports of all connections that a process has open."""
    open_ones = set(_sockets(process))
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return frozenset(int(line[1].rpartition(":")[2], 16) for line in lines if line[9] in open_ones)


def _sockets(process: int) -> list[str]:
    found: list[str] = []
    for each in Path(f"/proc/{process}/fd").iterdir():
        # It may be closed meanwhile.
        with suppress(FileNotFoundError):
            match = _SOCKET.fullmatch(str(each.readlink()))
            found += [match[1]] if match else []
    return found
