"""Tells a lack of resources on this machine from a failure of the target.

Without descriptors, memory, threads or local ports no attempt is made. That says nothing about the
target, so the run is re-queued and not counted as failed.
"""

import errno
import resource
import socket
from typing import Final

from foliot.core.model.attempt import NotSent
from foliot.dispatch.egress.addresses import Address

_SHORTAGES: Final = {
    errno.EMFILE: "This process has no file descriptors left.",
    errno.ENFILE: "This machine has no file descriptors left.",
    errno.ENOMEM: "This machine has no memory left.",
    errno.ENOBUFS: "This machine has no network buffers left.",
}
_NO_PORTS: Final = "This machine has no local ports left for the target's address."
_NO_MEMORY: Final = "This process has no memory left."


class Shortage(Exception):
    """A lack of resources on this machine, with a sentence for the operator."""

    @property
    def reason(self) -> str:
        """The sentence."""
        return str(self.args[0])


class DestinationShortage(Shortage):
    """A lack of resources for one destination: attempts at others go on."""


def not_sent(shortage: Shortage) -> NotSent:
    """Return the result of an attempt that was not made because of a shortage."""
    is_of_destination = isinstance(shortage, DestinationShortage)
    return NotSent(shortage.reason, is_of_destination=is_of_destination)


def out_of_memory() -> Shortage:
    """Return the shortage of memory."""
    return Shortage(_NO_MEMORY)


def shortage_in(error: BaseException) -> Shortage | None:
    """Return the shortage that has caused an error, if one has."""
    if isinstance(error, Shortage):
        return error
    if isinstance(error, MemoryError):
        return out_of_memory()
    reason = _SHORTAGES.get(error.errno or 0) if isinstance(error, OSError) else None
    return None if reason is None else Shortage(reason)


def shortage_now() -> Shortage | None:
    """Try to open sockets: a resolver that cannot open one reports another error."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, probe.dup():
            return None
    except OSError as error:
        return shortage_in(error)


def shortage_of_ports(number: int, peer: tuple[Address, int] | None) -> Shortage | None:
    """Return the shortage of local ports, if a connection has failed with this error because of it.

    An address family that this machine does not have causes the same error, but then UDP fails,
    too.
    """
    if number != errno.EADDRNOTAVAIL or peer is None:
        return shortage_in(OSError(number, ""))
    address, port = peer
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6  # noqa: PLR2004  (IPv4)
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((str(address), port))
    except OSError as error:
        return shortage_in(error)
    return DestinationShortage(_NO_PORTS)


def descriptors() -> int:
    """Return how many descriptors this process may open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2**20 if soft == resource.RLIM_INFINITY else soft
