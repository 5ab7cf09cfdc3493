"""Tells which of libcurl's sockets are ready.

An event loop makes a handle for each socket that is watched, and a request would pay for several
of them. Linux can watch a set of sockets as if it were one, and leave those in it that are idle.
"""

import asyncio
import select
from collections.abc import Callable
from typing import Protocol

READ, WRITE = 1, 2

# What became of sockets: their numbers, each with READ, WRITE or both.
Ready = Callable[[list[tuple[int, int]]], None]

_AT_A_TIME = 512


class Sockets(Protocol):
    """Sockets that are watched."""

    def watch(self, fd: int, what: int) -> None:
        """Watch a socket for READ, WRITE or both; 0 ends it, as closing it does."""
        ...

    def close(self) -> None:
        """Watch nothing more."""
        ...


def watched_sockets(ready: Ready) -> Sockets:
    """Return sockets of which `ready` is told, in the running event loop."""
    return EpollSockets(ready) if hasattr(select, "epoll") else LoopSockets(ready)


class EpollSockets:
    """A set of sockets that the loop watches as one."""

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
        """Watch a socket; one that is idle stays in the set, for most are used again at once."""
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
            # The socket was closed, and its number given to another.
            self._set.register(fd, events)

    def _look(self) -> None:
        found: list[tuple[int, int]] = []
        for fd, events in self._set.poll(0, _AT_A_TIME):
            what = self._wanted.get(fd)
            if what:
                # An error shows when the socket is used.
                happened = (events & select.EPOLLIN and READ) | (events & select.EPOLLOUT and WRITE)
                found.append((fd, happened or what))
            else:
                # An idle connection that its peer has closed would be reported for ever.
                self._set.unregister(fd)
                self._wanted.pop(fd, None)
        self._ready(found)


class LoopSockets:
    """Sockets that the loop watches one by one, on systems without epoll."""

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
