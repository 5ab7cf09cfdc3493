"""Sends requests through libcurl: egress rules, name resolution, deadlines, idle handles."""

from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from foliot.core.model.exchange import Timings
from foliot.dispatch.egress.addresses import Address, faces, literal_address
from foliot.dispatch.egress.resolver import Resolver, threads_for
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.curl_handle import (
    BAD_CONTENT_ENCODING,
    COULDNT_CONNECT,
    WRITE_ERROR,
    AddressCheck,
    CurlHandle,
    CurlSettings,
)
from foliot.dispatch.http.curl_multi import ABORTED, OK, Code, Transfers
from foliot.dispatch.http.history_messages import CANCELED, TIMEOUT, Failure, curl_failure, refused
from foliot.dispatch.http.http_settings import HttpSettings
from foliot.dispatch.http.outgoing_request import OutgoingRequest
from foliot.dispatch.http.response import HttpResponse, read_response
from foliot.dispatch.local_shortage import Shortage, descriptors

# Where distributions keep their certificates: the OpenSSL in the wheel of pycurl knows none.
_CA_FILES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


# Each kind of action may keep this fraction of all descriptors open for idle connections.
_IDLE_SHARE = 8


def ca_file_of(settings: HttpSettings) -> str | None:
    """Return the file of trusted certificates."""
    if settings.ca_file is not None:
        return str(settings.ca_file)
    return next((file for file in _CA_FILES if Path(file).is_file()), None)


class Send(Protocol):
    """Sends one request, and reads at most `max_bytes` of the response's body."""

    def __call__(
        self, outgoing: OutgoingRequest, *, deadline: float, max_bytes: int
    ) -> Awaitable[HttpResponse | Failure]:
        """Return the response received by the deadline, a time of the event loop's clock."""
        ...


class Sender:
    """The connections of one kind of action. They are opened and closed in one event loop."""

    def __init__(
        self, egress: EgressRules, settings: HttpSettings, resolver: Resolver | None = None
    ) -> None:
        self.resolver = resolver or Resolver(settings=threads_for(settings.slots))
        self._proxy = settings.proxy
        # With a proxy only the name is known here: the proxy resolves it and connects.
        by_name = egress.refusal_of_name if settings.proxy is None else _without_address(egress)
        self._refusal_of_name = lru_cache(maxsize=1024)(by_name)
        check_address = egress.refusal if settings.proxy is None else _check_direct_only(egress)
        self._curl_settings = CurlSettings(ca_file_of(settings), settings.proxy, check_address)
        self._max_idle = min(settings.max_idle_connections, descriptors() // _IDLE_SHARE)
        self._slots = settings.slots
        self._transfers: Transfers | None = None
        self._idle: list[CurlHandle] = []
        self._is_closed = False

    async def send(
        self,
        outgoing: OutgoingRequest,
        *,
        deadline: float,
        max_bytes: int,
        timed: Callable[[Timings], None] | None = None,
    ) -> HttpResponse | Failure:
        """Send one request; `timed` is told how long its steps took."""
        if self._is_closed:
            return CANCELED
        began_at = self.time()
        host, port = outgoing.target.host, outgoing.target.port
        refusal = self._refusal_of_name(host, port)
        if refusal is not None:
            return refused(refusal)
        addresses: Sequence[Address] | Failure | None = None
        if self._proxy is None and _must_be_resolved(host):
            addresses = self.resolver.known(host) or await self.resolver.addresses(host, deadline)
            if isinstance(addresses, Failure):
                return addresses
        seconds_before = self.time() - began_at
        pacing, handle = self._started().pacing, None
        await pacing.begin()
        try:
            handle = self._prepared_handle(outgoing)
            if addresses is not None:
                handle.set_addresses(host, port, addresses)
            if self._proxy is not None:
                handle.set_proxy(None if is_local_host(host) else self._proxy)
            result = await self._perform(handle, host, deadline=deadline, max_bytes=max_bytes)
            if timed is not None:
                timed(handle.timings(seconds_before))
            return result
        finally:
            pacing.end()
            if handle is not None:
                self._release(handle, outgoing)

    def time(self) -> float:
        """Return the time of the event loop's clock."""
        return self._started().time()

    async def close(self) -> None:
        """Close all connections; open requests end as canceled."""
        if self._is_closed:
            return
        self._is_closed = True
        self.resolver.close()
        while self._idle:
            self._idle.pop().close()
        if self._transfers is not None:
            # Kept: those that wait for their turn would start another one, which nobody closes.
            await self._transfers.close()

    async def _perform(
        self, handle: CurlHandle, host: str, *, deadline: float, max_bytes: int
    ) -> HttpResponse | Failure:
        """Perform a transfer; for want of descriptors, close idle connections and try once more."""
        shortage = None
        for drop_idle in (False, True):
            seconds = deadline - self.time()
            if self._is_closed or seconds <= 0:
                return CANCELED if self._is_closed else TIMEOUT
            handle.expect_response(host, seconds=seconds, max_bytes=max_bytes)
            code = await self._started().perform(handle, drop_idle=drop_idle)
            shortage = handle.shortage(code[0])
            if shortage is None:
                return _result(handle, code, host, max_bytes)
        raise shortage or Shortage()

    def _started(self) -> Transfers:
        if self._transfers is None:
            self._transfers = Transfers(self._max_idle, self._slots)
        return self._transfers

    def _prepared_handle(self, outgoing: OutgoingRequest) -> CurlHandle:
        handle = self._idle.pop() if self._idle else CurlHandle(self._curl_settings)
        handle.prepare(
            outgoing.method,
            outgoing.target.url,
            outgoing.headers + outgoing.credentials,
            outgoing.body,
        )
        if outgoing.client_key is not None:
            handle.use_certificate(
                outgoing.client_key.certificate, outgoing.client_key.key.reveal().encode()
            )
        return handle

    def _release(self, handle: CurlHandle, outgoing: OutgoingRequest) -> None:
        if self._is_closed or outgoing.client_key is not None or len(self._idle) >= self._max_idle:
            handle.close()
        else:
            self._idle.append(handle)


def _without_address(egress: EgressRules) -> Callable[[str, int], str | None]:
    return lambda host, port: egress.refusal(host, port, None)


def _check_direct_only(egress: EgressRules) -> AddressCheck:
    """Check only the addresses of this machine: all others are reached through the proxy."""

    def check_address(host: str, port: int, address: Address) -> str | None:
        return egress.refusal(host, port, address) if is_local_host(host) else None

    return check_address


@lru_cache(maxsize=1024)
def is_local_host(host: str) -> bool:
    """Tell whether a host names this machine: to a proxy, it would name the proxy's machine."""
    address = literal_address(host)
    if address is None:
        return f".{host.rstrip('.')}".endswith(".localhost")
    return any(face.is_loopback or face.is_unspecified for face in faces(address))


@lru_cache(maxsize=1024)
def _must_be_resolved(host: str) -> bool:
    """Tell whether a host is a name that a resolver must look up."""
    return literal_address(host) is None and not is_local_host(host)


def _result(handle: CurlHandle, code: Code, host: str, max_bytes: int) -> HttpResponse | Failure:
    number, text = code
    # The status alone decides about a body that is too long or cannot be decoded.
    has_answered = number == OK or (number == WRITE_ERROR and handle.is_body_too_long)
    if has_answered or (number == BAD_CONTENT_ENCODING and handle.status):
        return read_response(handle.status, handle.header_lines, handle.body, max_bytes)
    if number == COULDNT_CONNECT and handle.refusal is not None:
        return refused(handle.refusal)
    return CANCELED if number == ABORTED else curl_failure(number, text, host=host)
