"""Which server, with which token: from options, environment, a saved profile and this machine.

A token belongs to its server: one that was saved or found is never sent to another. A data
directory may be somebody else's, in files that were downloaded: it can only name this machine.
"""

import json
import socket
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct, structs

from foliot.client.connection import ServerAddress, parse_url
from foliot.client.errors import NoServer
from foliot.core.errors import FoliotError, Invalid, within
from foliot.core.json_text import parse_json
from foliot.core.secret import Secret

DATA_DIR = "foliot-data"
ADDRESS_FILE = "address"
_TOKEN_FILE = "admin-token"  # noqa: S105  (a name)
_IPV6 = 6
_HOW = "; give --server URL, set FOLIOT_SERVER, or save one with `foliot login URL`."
_OR = ", or give --server URL."


class ServerOptions(Struct, frozen=True):
    """What a command was told about its server."""

    server: str | None = None
    token: str | None = None
    ca: str | None = None


class Profile(Struct, frozen=True):
    """A server that was saved, with its token and the collection to use."""

    server: ServerAddress
    collection: str | None = None


def find_server(
    options: ServerOptions, environ: Mapping[str, str], profile: Profile | None
) -> ServerAddress:
    """Return the server to call: the one that is named, else the saved one, else the local one."""
    named = options.server or environ.get("FOLIOT_SERVER")
    if named:
        with within("--server" if options.server else "FOLIOT_SERVER"):
            url = parse_url(named)
        found = _known_server(url, environ, profile)
    elif profile is not None:
        found = profile.server
    else:
        found = _local_server(environ)
    token = options.token or environ.get("FOLIOT_TOKEN")
    authority = options.ca or environ.get("FOLIOT_CA") or found.authority
    if token:
        return ServerAddress(found.url, Secret(token), authority)
    return structs.replace(found, authority=authority)


def profile_text(profile: Profile) -> str:
    """Write a profile, with its token: for a file that only its owner may read."""
    server = profile.server
    kept = {
        "server": server.url,
        "token": None if server.token is None else server.token.reveal(),
        "ca": server.authority,
        "collection": profile.collection,
    }
    return json.dumps({name: each for name, each in kept.items() if each is not None}, indent=2)


def parse_profile(text: bytes) -> Profile:
    """Read a profile."""
    found = parse_json(text)
    given = found if isinstance(found, dict) else {}
    words = {name: each for name, each in given.items() if isinstance(each, str)}
    if "server" not in words:
        raise Invalid((), "names no server; save one with `foliot login URL`.")
    token = words.get("token")
    server = ServerAddress(
        parse_url(words["server"]), None if token is None else Secret(token), words.get("ca")
    )
    return Profile(server, words.get("collection"))


def _known_server(url: str, environ: Mapping[str, str], profile: Profile | None) -> ServerAddress:
    """Return the server of a URL, with its token if it is the saved one or the local one."""
    if profile is not None and profile.server.url == url:
        return profile.server
    try:
        local = _local_server(environ)
    except NoServer:
        return ServerAddress(url)
    return local if local.url == url else ServerAddress(url)


def _local_server(environ: Mapping[str, str]) -> ServerAddress:
    """Return the server whose data directory is here; it has written its address there.

    Without an address nobody knows who listens on a port, so the token is sent to nobody.
    """
    data_dir = Path(environ.get("FOLIOT_DATA_DIR") or DATA_DIR)
    try:
        is_here = data_dir.is_dir()
    except PermissionError:
        raise _unreadable(data_dir) from None
    if not is_here:
        raise NoServer(f"no server is known here{_HOW}")
    address = _read(data_dir / ADDRESS_FILE)
    if address is None:
        raise NoServer(f"no server runs in {data_dir}: start it with `foliot serve`{_OR}")
    # The first line is the URL, the second the authority of a certificate that the server made.
    url, _, authority = address.partition("\n")
    try:
        server = parse_url(url)
    except FoliotError:
        raise NoServer(f"{data_dir / ADDRESS_FILE} has no address{_HOW}") from None
    if not _is_this_machine(urlsplit(server).hostname or ""):
        raise NoServer(f"{data_dir / ADDRESS_FILE} names another machine{_HOW}")
    given = environ.get("FOLIOT_ADMIN_TOKEN")
    token = given or _read(data_dir / _TOKEN_FILE)
    return ServerAddress(
        server,
        None if token is None else Secret(token),
        authority or None,
        has_own_token=token is not None and not given,
    )


def _is_this_machine(host: str) -> bool:
    """Tell whether an address is one of this machine's own: only such a one can be bound."""
    if host == "localhost":
        return True
    try:
        family = socket.AF_INET6 if ip_address(host).version == _IPV6 else socket.AF_INET
        with socket.socket(family, socket.SOCK_DGRAM) as tried:
            tried.bind((host, 0))
    except (ValueError, OSError):
        return False
    return True


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8").strip() or None
    except PermissionError:
        raise _unreadable(path) from None
    except (OSError, UnicodeDecodeError):
        return None


def _unreadable(path: Path) -> NoServer:
    return NoServer(f"{path} cannot be read: permission denied{_HOW}")
