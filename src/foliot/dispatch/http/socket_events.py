"""Reports which of libcurl's sockets are ready.

An event loop creates a handle for each change of a watched socket, several for each request. On
Linux an epoll set is watched as one descriptor, and idle sockets stay in it.
"""

import asyncio
import select
from collections.abc import Callable
from typing import Protocol

READ, WRITE = 1, 2

# Called with the ready sockets: their numbers, each with READ, WRITE or both.
Ready = Callable[[list[tuple[int, int]]], None]

_AT_A_TIME = 512


class Sockets(Protocol):
    """A set of watched sockets."""

    def watch(self, fd: int, what: int) -> None:
        """Watch a socket for READ, WRITE or both; 0 ends it, as closing it does."""
        ...

    def close(self) -> None:
        """Watch nothing more."""
        ...


def watched_sockets(ready: Ready) -> Sockets:
    """Return sockets that call `ready` in the running event loop."""
    return EpollSockets(ready) if hasattr(select, "epoll") else LoopSockets(ready)


class EpollSockets:
    """Sockets in an epoll set, which the event loop watches as one descriptor."""

    def __init__(self, ready: Ready) -> None:
        self._loop = asyncio.get_running_loop()
        self._ready = ready
        self._wanted: dict[int, int] = {}
        self._set = select.epoll()
        self._events = {
            READ: select.EPOLLIN,
            WRITE: select.EPOLLOUT,
            READ | WRITE: select.EPOLLIN | select.EPOLLOUT,
        }
        self._loop.add_reader(self._set.fileno(), self._look)

    def watch(self, fd: int, what: int) -> None:
        """Watch a socket; an idle one stays in the set, since most are soon used again."""
        if what:
            self._put(fd, self._events[what])
        self._wanted[fd] = what

    def close(self) -> None:
        """Watch nothing more."""
        self._loop.remove_reader(self._set.fileno())
        self._set.close()

    def _put(self, fd: int, events: int) -> None:
        try:
            if fd in self._wanted:
                self._set.modify(fd, events)
            else:
                self._set.register(fd, events)
        except FileNotFoundError:
            # The socket was closed, and its number belongs to a new one.
            self._set.register(fd, events)

    def _look(self) -> None:
        found: list[tuple[int, int]] = []
        for fd, events in self._set.poll(0, _AT_A_TIME):
            what = self._wanted.get(fd)
            if what:
                # libcurl finds an error when it uses the socket.
                happened = (events & select.EPOLLIN and READ) | (events & select.EPOLLOUT and WRITE)
                found.append((fd, happened or what))
            else:
                # An idle socket that its peer has closed would be reported in every turn.
                self._set.unregister(fd)
                self._wanted.pop(fd, None)
        self._ready(found)


class LoopSockets:
    """Sockets that the event loop watches one by one, on systems without epoll."""

    def __init__(self, ready: Ready) -> None:
        self._loop = asyncio.get_running_loop()
        self._ready = ready
        self._wanted: dict[int, int] = {}

    def watch(self, fd: int, what: int) -> None:
        """Watch a socket for READ, WRITE or both; 0 ends it."""
        before = self._wanted.pop(fd, 0)
        if what:
            self._wanted[fd] = what
        if (what ^ before) & READ:
            if what & READ:
                self._loop.add_reader(fd, self._ready, [(fd, READ)])
            else:
                self._loop.remove_reader(fd)
        if (what ^ before) & WRITE:
            if what & WRITE:
                self._loop.add_writer(fd, self._ready, [(fd, WRITE)])
            else:
                self._loop.remove_writer(fd)

    def close(self) -> None:
        """Watch nothing more."""
        for fd in list(self._wanted):
            self.watch(fd, 0)
