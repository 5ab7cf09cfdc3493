"""Sends requests: lines that are used again, egress rules, deadlines."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from foliot.dispatch.egress.addresses import Address, faces, literal_address
from foliot.dispatch.egress.resolver import Resolver, threads_for
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.curl_handle import (
    BAD_CONTENT_ENCODING,
    COULDNT_CONNECT,
    WRITE_ERROR,
    Judge,
    Line,
    LineSettings,
)
from foliot.dispatch.http.curl_multi import ABORTED, OK, Code, Transfers
from foliot.dispatch.http.history_messages import CANCELED, TIMEOUT, Failure, curl_failure, refused
from foliot.dispatch.http.http_settings import HttpSettings
from foliot.dispatch.http.outgoing_request import Hop
from foliot.dispatch.http.response import Answer, read_answer
from foliot.dispatch.local_shortage import Shortage, descriptors

# Where distributions keep their certificates. A wheel brings an OpenSSL that knows none of them.
_CA_FILES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


# Of all descriptors, so many parts may be kept open for later by each kind of action.
_IDLE_SHARE = 8


def ca_file_of(settings: HttpSettings) -> str | None:
    """Return the file of certificates to trust."""
    if settings.ca_file is not None:
        return str(settings.ca_file)
    return next((file for file in _CA_FILES if Path(file).is_file()), None)


class Send(Protocol):
    """Sends one request; the answer's body is read up to `most` bytes, and not further."""

    def __call__(self, hop: Hop, *, deadline: float, most: int) -> Awaitable[Answer | Failure]:
        """Return what was answered by the deadline, a time of the event loop's clock."""
        ...


class Sender:
    """The connections of a server. They are opened and closed in one event loop."""

    def __init__(
        self, egress: EgressRules, settings: HttpSettings, resolver: Resolver | None = None
    ) -> None:
        self.resolver = resolver or Resolver(settings=threads_for(settings.slots))
        self._proxy = settings.proxy
        # With a proxy it is not we who connect: all that can be judged is judged by the name.
        by_name = egress.refusal_of_name if settings.proxy is None else _without_address(egress)
        self._refusal_of_name = lru_cache(maxsize=1024)(by_name)
        judge = egress.refusal if settings.proxy is None else _direct_only(egress)
        self._line_settings = LineSettings(ca_file_of(settings), settings.proxy, judge)
        self._max_idle = min(settings.max_idle_connections, descriptors() // _IDLE_SHARE)
        self._transfers: Transfers | None = None
        self._idle: list[Line] = []
        self._is_closed = False

    async def send(self, hop: Hop, *, deadline: float, most: int) -> Answer | Failure:
        """Send one request."""
        if self._is_closed:
            return CANCELED
        host, port = hop.target.host, hop.target.port
        refusal = self._refusal_of_name(host, port)
        if refusal is not None:
            return refused(refusal)
        addresses: Sequence[Address] | Failure | None = None
        if self._proxy is None and _is_looked_up(host):
            addresses = self.resolver.known(host) or await self.resolver.addresses(host, deadline)
            if isinstance(addresses, Failure):
                return addresses
        line = self._dialled(hop)
        try:
            if addresses is not None:
                line.connect_to(host, port, addresses)
            if self._proxy is not None:
                line.go_through(None if stays_here(host) else self._proxy)
            return await self._answer(line, host, deadline=deadline, most=most)
        finally:
            self._release(line, hop)

    async def close(self) -> None:
        """Close all connections; whoever waits for an answer is told."""
        self._is_closed = True
        self.resolver.close()
        while self._idle:
            self._idle.pop().close()
        if self._transfers is not None:
            transfers, self._transfers = self._transfers, None
            await transfers.close()

    async def _answer(
        self, line: Line, host: str, *, deadline: float, most: int
    ) -> Answer | Failure:
        """Perform a transfer, and once more without idle connections if it lacks descriptors."""
        shortage = None
        for drop_idle in (False, True):
            seconds = deadline - asyncio.get_running_loop().time()
            if self._is_closed or seconds <= 0:
                return CANCELED if self._is_closed else TIMEOUT
            line.listen(host, seconds=seconds, most=most)
            code = await self._started().perform(line, drop_idle=drop_idle)
            shortage = line.shortage(code[0])
            if shortage is None:
                return _verdict(line, code, host, most)
        raise shortage or Shortage()

    def _started(self) -> Transfers:
        if self._transfers is None:
            self._transfers = Transfers(self._max_idle)
        return self._transfers

    def _dialled(self, hop: Hop) -> Line:
        line = self._idle.pop() if self._idle else Line(self._line_settings)
        line.dial(hop.method, hop.target.url, hop.headers + hop.credentials, hop.body)
        if hop.client_key is not None:
            line.show(hop.client_key.certificate, hop.client_key.key.reveal().encode())
        return line

    def _release(self, line: Line, hop: Hop) -> None:
        if self._is_closed or hop.client_key is not None or len(self._idle) >= self._max_idle:
            line.close()
        else:
            self._idle.append(line)


def _without_address(egress: EgressRules) -> Callable[[str, int], str | None]:
    return lambda host, port: egress.refusal(host, port, None)


def _direct_only(egress: EgressRules) -> Judge:
    """Judge the addresses of this machine, which do not go through the proxy, and no others."""

    def judge(host: str, port: int, address: Address) -> str | None:
        return egress.refusal(host, port, address) if stays_here(host) else None

    return judge


@lru_cache(maxsize=1024)
def stays_here(host: str) -> bool:
    """Tell whether a host means this machine: to a proxy, it would mean the proxy's."""
    address = literal_address(host)
    if address is None:
        return f".{host.rstrip('.')}".endswith(".localhost")
    return any(face.is_loopback or face.is_unspecified for face in faces(address))


@lru_cache(maxsize=1024)
def _is_looked_up(host: str) -> bool:
    """Tell whether a host is a name that stands for addresses somebody must be asked for."""
    return literal_address(host) is None and not stays_here(host)


def _verdict(line: Line, code: Code, host: str, most: int) -> Answer | Failure:
    number, text = code
    # An answer that goes on and on, or cannot be decoded, is judged by its status.
    has_answered = number == OK or (number == WRITE_ERROR and line.has_enough)
    if has_answered or (number == BAD_CONTENT_ENCODING and line.status):
        return read_answer(line.status, line.heard, line.body, most)
    if number == COULDNT_CONNECT and line.refusal is not None:
        return refused(line.refusal)
    return CANCELED if number == ABORTED else curl_failure(number, text, host=host)
