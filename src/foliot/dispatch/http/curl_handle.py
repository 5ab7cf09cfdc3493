"""Libcurl's handles. Only here and in `transfers` is pycurl touched, which has no types."""

import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from ipaddress import ip_address
from typing import Any

import pycurl as untyped
from msgspec import Struct

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
Judge = Callable[[str, int, Address], str | None]


class LineSettings(Struct, frozen=True):
    """What is the same for every request; `judge` says why an address is not connected to."""

    ca_file: str | None
    proxy: str | None
    judge: Judge


class Line:
    """A handle with what it hears: used again and again, for one request at a time."""

    def __init__(self, settings: LineSettings) -> None:
        self.heard: list[bytes] = []
        self.body = bytearray()
        self.refusal: str | None = None
        self._shortage: Shortage | None = None
        self._peer: tuple[Address, int] | None = None
        self._host = ""
        self._most = 0
        self._judge = settings.judge
        self.handle: Any = _curl.Curl()
        for option, value in _fixed_options(settings):
            self.handle.setopt(option, value)
        self.handle.setopt(_curl.HEADERFUNCTION, self.heard.append)
        self.handle.setopt(_curl.WRITEFUNCTION, self._take)
        self.handle.setopt(_curl.OPENSOCKETFUNCTION, self._open)

    def dial(self, method: str, url: str, headers: Sequence[str], body: bytes | None) -> None:
        """Set everything that differs between requests, so that nothing of the last one is left."""
        setopt = self.handle.setopt
        setopt(_curl.URL, url)
        setopt(_curl.HTTPGET, 1)
        if method == "HEAD":
            setopt(_curl.NOBODY, 1)
        if body is not None:
            setopt(_curl.POSTFIELDS, body)
        setopt(_curl.CUSTOMREQUEST, method)
        try:
            setopt(_curl.HTTPHEADER, headers)
        except UnicodeEncodeError:
            setopt(_curl.HTTPHEADER, [line.encode(errors="replace") for line in headers])

    def listen(self, host: str, *, seconds: float, most: int) -> None:
        """Be ready for an answer: from where, until when, how much of it."""
        self.heard.clear()
        self.body.clear()
        self.refusal = None
        self._shortage = None
        self._peer = None
        self._host = host
        self._most = most
        # 0 would mean for ever.
        self.handle.setopt(_curl.TIMEOUT_MS, max(1, int(seconds * _MILLISECONDS)))

    def connect_to(self, host: str, port: int, addresses: Sequence[Address]) -> None:
        """Say what a name stands for, so that libcurl does not ask; it forgets that in a minute."""
        shown = ",".join(f"[{each}]" if each.version == _IPV6 else str(each) for each in addresses)
        self.handle.setopt(_curl.RESOLVE, [f"+{host}:{port}:{shown}"])

    def go_through(self, proxy: str | None) -> None:
        """Say whether this request goes through a proxy."""
        self.handle.setopt(_curl.PROXY, proxy or "")

    def show(self, certificate: bytes, key: bytes) -> None:
        """Present a client certificate; a line that has done so is not used for anything else."""
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
            self.handle.setopt(option, value)

    @property
    def status(self) -> int:
        """The status of the answer, 0 if there was none."""
        return int(self.handle.getinfo(_curl.RESPONSE_CODE))

    @property
    def has_enough(self) -> bool:
        """Whether more came than is wanted, so that the transfer was ended."""
        return len(self.body) > self._most

    def shortage(self, code: int) -> Shortage | None:
        """Say what we lacked, if a transfer that ended with this code failed on our side."""
        if code == _OUT_OF_MEMORY:
            return out_of_memory()
        if code == _UNREADABLE_CA_FILE:
            return shortage_now()
        if code != COULDNT_CONNECT or self.refusal is not None:
            return None
        number = int(self.handle.getinfo(_curl.OS_ERRNO))
        return self._shortage or shortage_of_ports(number, self._peer)

    def close(self) -> None:
        """Release the handle."""
        self.handle.close()

    def _take(self, chunk: bytes) -> int:
        self.body += chunk
        return 0 if len(self.body) > self._most else len(chunk)

    def _open(self, _purpose: int, peer: Any) -> Any:
        address, port = ip_address(str(peer.addr[0])), int(peer.addr[1])
        refusal = self._judge(self._host, port, address)
        if refusal is not None:
            self.refusal = refusal
            return _curl.SOCKET_BAD
        self._peer = (address, port)
        try:
            return _lent(peer)
        except OSError as error:
            self._shortage = shortage_in(error)
            return _curl.SOCKET_BAD


class _Lent(socket.socket):
    """A socket that libcurl takes a duplicate of: its own descriptor goes without a warning."""

    def __del__(self) -> None:
        # One that could not be opened has nothing to close, and not even fields.
        with suppress(AttributeError):
            self.close()


def _lent(peer: Any) -> _Lent:
    lent = _Lent(peer.family, peer.socktype, peer.protocol)
    # If there is no descriptor for libcurl's duplicate, nobody would say so.
    os.close(os.dup(lent.fileno()))
    return lent


def _fixed_options(settings: LineSettings) -> list[tuple[int, Any]]:
    # An empty proxy and list of exceptions: the environment is not asked for either.
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
