"""One libcurl handle: its options, the response it receives, and the check of its sockets.

Only this module and `curl_multi` import pycurl, which has no types.
"""

import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from ipaddress import ip_address
from typing import Any

import pycurl as untyped
from msgspec import Struct

from foliot.core.model.exchange import Timings
from foliot.dispatch.egress.addresses import Address
from foliot.dispatch.local_shortage import (
    Shortage,
    out_of_memory,
    shortage_in,
    shortage_now,
    shortage_of_ports,
)

_curl: Any = untyped

COULDNT_CONNECT: int = _curl.E_COULDNT_CONNECT
WRITE_ERROR: int = _curl.E_WRITE_ERROR
BAD_CONTENT_ENCODING: int = _curl.E_BAD_CONTENT_ENCODING

_OUT_OF_MEMORY: int = _curl.E_OUT_OF_MEMORY
_UNREADABLE_CA_FILE: int = _curl.E_SSL_CACERT_BADFILE

_MILLISECONDS = 1000
_IPV6 = 6
# The buffer for a request. A handle keeps it: the larger one would take 64 MB for all slots. A long
# body needs it, since some receivers, Azurite among them, decode each part of a text by itself.
_SHORT_BODY = 16 * 1024
_LONG_BODY = 128 * 1024
AddressCheck = Callable[[str, int, Address], str | None]


class CurlSettings(Struct, frozen=True):
    """Options that all requests share; `check_address` returns why an address is refused."""

    ca_file: str | None
    proxy: str | None
    check_address: AddressCheck


class CurlHandle:
    """A libcurl easy handle and the response it receives: reused, for one request at a time."""

    def __init__(self, settings: CurlSettings) -> None:
        self.header_lines: list[bytes] = []
        self.body = bytearray()
        self.refusal: str | None = None
        self._shortage: Shortage | None = None
        self._peer: tuple[Address, int] | None = None
        self._host = ""
        self._max_bytes = 0
        self._sends: tuple[str, bytes | None] | None = None
        self._milliseconds = 0
        self._check_address = settings.check_address
        self.easy: Any = _curl.Curl()
        for option, value in _fixed_options(settings):
            self.easy.setopt(option, value)
        self.easy.setopt(_curl.HEADERFUNCTION, self.header_lines.append)
        self.easy.setopt(_curl.WRITEFUNCTION, self._receive_body)
        self.easy.setopt(_curl.OPENSOCKETFUNCTION, self._open_socket)

    def prepare(self, method: str, url: str, headers: Sequence[str], body: bytes | None) -> None:
        """Set every option that differs between requests, so that none of the last one remains."""
        setopt = self.easy.setopt
        setopt(_curl.URL, url)
        # Each option costs a microsecond, and many requests in a row are alike.
        if self._sends != (method, body):
            self._set_method(method, body)
        try:
            setopt(_curl.HTTPHEADER, headers)
        except UnicodeEncodeError:
            setopt(_curl.HTTPHEADER, [line.encode(errors="replace") for line in headers])

    def _set_method(self, method: str, body: bytes | None) -> None:
        self._sends = None
        setopt = self.easy.setopt
        is_short = body is None or len(body) <= _SHORT_BODY
        setopt(_curl.UPLOAD_BUFFERSIZE, _SHORT_BODY if is_short else _LONG_BODY)
        setopt(_curl.HTTPGET, 1)
        if method == "HEAD":
            setopt(_curl.NOBODY, 1)
        if body is not None:
            setopt(_curl.POSTFIELDS, body)
        setopt(_curl.CUSTOMREQUEST, method)
        self._sends = method, body

    def expect_response(self, host: str, *, seconds: float, max_bytes: int) -> None:
        """Clear the last response, and set the timeout and the size limit of the next one."""
        self.header_lines.clear()
        self.body.clear()
        self.refusal = None
        self._shortage = None
        self._peer = None
        self._host = host
        self._max_bytes = max_bytes
        # libcurl takes 0 for no timeout.
        milliseconds = max(1, int(seconds * _MILLISECONDS))
        if milliseconds != self._milliseconds:
            self._milliseconds = milliseconds
            self.easy.setopt(_curl.TIMEOUT_MS, milliseconds)

    def set_addresses(self, host: str, port: int, addresses: Sequence[Address]) -> None:
        """Give libcurl the addresses of a name; it caches them for a minute and asks nobody."""
        shown = ",".join(f"[{each}]" if each.version == _IPV6 else str(each) for each in addresses)
        self.easy.setopt(_curl.RESOLVE, [f"+{host}:{port}:{shown}"])

    def set_proxy(self, proxy: str | None) -> None:
        """Send this request through a proxy, or with None directly."""
        self.easy.setopt(_curl.PROXY, proxy or "")

    def use_certificate(self, certificate: bytes, key: bytes) -> None:
        """Present a client certificate; such a handle must not be reused for another request."""
        for option, value in (
            (_curl.SSLCERTTYPE, "PEM"),
            (_curl.SSLCERT_BLOB, certificate),
            (_curl.SSLKEYTYPE, "PEM"),
            (_curl.SSLKEY_BLOB, key),
            # A session that was opened with a certificate must not be resumed without it.
            (_curl.SSL_SESSIONID_CACHE, 0),
            (_curl.FRESH_CONNECT, 1),
            (_curl.FORBID_REUSE, 1),
        ):
            self.easy.setopt(option, value)

    @property
    def status(self) -> int:
        """The status of the response, 0 if there was none."""
        return int(self.easy.getinfo(_curl.RESPONSE_CODE))

    def timings(self, seconds_before: float) -> Timings:
        """Return how long the steps took, after so many seconds in which the name was resolved."""
        getinfo = self.easy.getinfo
        connect: float = getinfo(_curl.CONNECT_TIME)
        # Without a response, libcurl gives the time of another step.
        first_byte: float = getinfo(_curl.STARTTRANSFER_TIME) if self.header_lines else 0.0
        total: float = seconds_before + getinfo(_curl.TOTAL_TIME)
        if connect <= 0 < first_byte:
            # The connection was open. Each attempt pays for what is asked here.
            return Timings(first_byte=seconds_before + first_byte, total=total)
        lookup: float = getinfo(_curl.NAMELOOKUP_TIME)
        tls: float = getinfo(_curl.APPCONNECT_TIME)
        return Timings(
            name_lookup=seconds_before + lookup if lookup > 0 else None,
            connect=seconds_before + connect if connect > 0 else None,
            tls=seconds_before + tls if tls > 0 else None,
            first_byte=seconds_before + first_byte if first_byte > 0 else None,
            total=total,
        )

    @property
    def is_body_too_long(self) -> bool:
        """Whether the body exceeded its limit, so that the transfer was stopped."""
        return len(self.body) > self._max_bytes

    def shortage(self, code: int) -> Shortage | None:
        """Return what this machine lacked, if that made a transfer end with this code."""
        if code == _OUT_OF_MEMORY:
            return out_of_memory()
        if code == _UNREADABLE_CA_FILE:
            return shortage_now()
        if code != COULDNT_CONNECT or self.refusal is not None:
            return None
        number = int(self.easy.getinfo(_curl.OS_ERRNO))
        return self._shortage or shortage_of_ports(number, self._peer)

    def close(self) -> None:
        """Release the handle."""
        self.easy.close()

    def _receive_body(self, chunk: bytes) -> int:
        self.body += chunk
        return 0 if len(self.body) > self._max_bytes else len(chunk)

    def _open_socket(self, _purpose: int, peer: Any) -> Any:
        address, port = ip_address(str(peer.addr[0])), int(peer.addr[1])
        refusal = self._check_address(self._host, port, address)
        if refusal is not None:
            self.refusal = refusal
            return _curl.SOCKET_BAD
        self._peer = (address, port)
        try:
            return _socket_for_curl(peer)
        except OSError as error:
            self._shortage = shortage_in(error)
            return _curl.SOCKET_BAD


class _SocketForCurl(socket.socket):
    """A socket that libcurl duplicates: closing our descriptor must not warn."""

    def __del__(self) -> None:
        # A socket that could not be opened has no fields, so close() raises.
        with suppress(AttributeError):
            self.close()


def _socket_for_curl(peer: Any) -> _SocketForCurl:
    created = _SocketForCurl(peer.family, peer.socktype, peer.protocol)
    # libcurl does not report that its own dup() failed, so try it here first.
    os.close(os.dup(created.fileno()))
    return created


def _fixed_options(settings: CurlSettings) -> list[tuple[int, Any]]:
    # Empty values keep libcurl from reading http_proxy and no_proxy in the environment.
    options: list[tuple[int, Any]] = [
        (_curl.NOSIGNAL, 1),
        (_curl.PROTOCOLS, _curl.PROTO_HTTP | _curl.PROTO_HTTPS),
        (_curl.HTTP_VERSION, _curl.CURL_HTTP_VERSION_2TLS),
        (_curl.ACCEPT_ENCODING, "gzip, deflate, br"),
        (_curl.PROXY, settings.proxy or ""),
        (_curl.NOPROXY, ""),
    ]
    if settings.ca_file is not None:
        options += [(_curl.CAINFO, settings.ca_file), (_curl.PROXY_CAINFO, settings.ca_file)]
    return options
