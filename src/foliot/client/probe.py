"""Asks the server of a data directory how it is, without a token."""

import ssl
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

from foliot.client.connection import parse_url
from foliot.client.errors import NoServer, Unreachable
from foliot.client.find_server import ADDRESS_FILE
from foliot.core.errors import FoliotError
from foliot.core.json_text import Json, parse_json

_OK = 200
_MAX_ANSWER = 65_536


def probe(data_dir: Path, path: str, *, seconds: float) -> str:
    """Call an address of the server; return its URL, or raise with the reason why it is not well.

    Its certificate is not checked, since it may be for the public name alone; nothing secret is
    sent.
    """
    url = _url(data_dir)
    connection = _connection(url, seconds)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        status, content = answer.status, answer.read(_MAX_ANSWER)
    except ssl.SSLError as error:
        raise Unreachable(f"{url} does not answer: {error.reason}.") from None
    except OSError as error:
        raise Unreachable(f"{url} does not answer: {error.strerror or error}.") from None
    except HTTPException:
        raise Unreachable(f"{url} does not answer as Foliot does.") from None
    finally:
        connection.close()
    if status != _OK:
        raise Unreachable(f"{url}{path} answers with {status}{_problems(content)}.")
    if _answer(content).get("status") != "ok":
        raise Unreachable(f"{url}{path} does not answer as Foliot does: another server is there.")
    return url


def _url(data_dir: Path) -> str:
    file = data_dir / ADDRESS_FILE
    try:
        return parse_url(file.read_text("utf-8").partition("\n")[0])
    except FileNotFoundError:
        raise NoServer(f"no server runs: {file} does not exist.") from None
    except OSError as error:
        raise NoServer(f"{file} cannot be read: {error.strerror}.") from None
    except (UnicodeDecodeError, FoliotError):
        raise NoServer(f"{file} has no address; a server that starts writes it.") from None


def _connection(url: str, seconds: float) -> HTTPConnection:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme == "http":
        return HTTPConnection(host, parts.port, timeout=seconds)
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return HTTPSConnection(host, parts.port, timeout=seconds, context=context)


def _problems(content: bytes) -> str:
    """Return what `/readyz` says about the parts that are not well."""
    problems = _answer(content).get("problems")
    if not isinstance(problems, dict):
        return ""
    return ": " + ", ".join(f"{part}: {each}" for part, each in sorted(problems.items()))


def _answer(content: bytes) -> dict[str, Json]:
    """Return the object that was answered; an empty one if it is none."""
    try:
        found = parse_json(content)
    except FoliotError:
        return {}
    return found if isinstance(found, dict) else {}
