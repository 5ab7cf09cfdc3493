"""Parsers of setting values: text from an option or a variable becomes a value, or is refused."""

from collections.abc import Callable, Iterable
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from foliot.core.errors import wrong
from foliot.core.model.token import is_sendable
from foliot.core.networks import Networks
from foliot.core.secret import Secret
from foliot.serve.settings.values import AutoTls, Database, NoTls, PostgresAddress, Tls, TlsFiles

_MAX_PORT = 65_535
_MAX_DIGITS = 10
_FLAGS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
# A shorter token could be guessed by trying.
_MIN_TOKEN_CHARACTERS = 16
_RECOMMENDED = "best as `openssl rand -hex 32` prints them"
_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgres://")
_MAX_SCHEME_SHOWN = 20
_NOT_SHOWN = "(not shown)"


class ValueParser(Struct, frozen=True):
    """Parses a value; `expected` completes "give …" where `parse` raises ValueError."""

    expected: str
    parse: Callable[[str], object]


def parse_value(parser: ValueParser, text: str, source: str) -> object:
    """Parse a value; a refused one is Invalid and named by its source, an option or a variable."""
    try:
        return parser.parse(text)
    except _BadValue as bad:
        raise wrong((source,), bad.shown or text, bad.expected or parser.expected) from None
    except ValueError:
        raise wrong((source,), text, parser.expected) from None


def whole_number(least: int, most: int, what: str = "a whole number") -> ValueParser:
    """Return a parser of whole numbers in a range."""

    def parse(text: str) -> int:
        return _whole(text, least, most)

    return ValueParser(f"{what} from {least} to {most}", parse)


def one_of(words: Iterable[str]) -> ValueParser:
    """Return a parser of words, in any letter case."""
    known = tuple(words)

    def parse(text: str) -> str:
        if text.lower() not in known:
            raise ValueError
        return text.lower()

    return ValueParser(f"one of {', '.join(known)}", parse)


def web_address(expected: str) -> ValueParser:
    """Return a parser of http:// and https:// addresses without user and password."""
    return ValueParser(expected, _web_address)


class _BadValue(ValueError):
    """A value that a parser refuses, where the parser has more to say than what it expects.

    `shown` replaces the value in the message, which must not hold a password.
    """

    def __init__(self, *, expected: str | None = None, shown: str | None = None) -> None:
        super().__init__(expected)
        self.expected = expected
        self.shown = shown


def _whole(text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS):
        raise ValueError
    if not least <= int(text) <= most:
        raise ValueError
    return int(text)


def _port(text: str) -> int:
    return _whole(text, 0, _MAX_PORT)


def _flag(text: str) -> bool:
    if text.lower() not in _FLAGS:
        raise ValueError
    return _FLAGS[text.lower()]


def _host(text: str) -> str:
    host = text.removeprefix("[").removesuffix("]")
    if not host or any(character in host for character in "/ @") or not host.isascii():
        raise ValueError
    return host


def _text(text: str) -> str:
    if not text.isprintable():
        raise ValueError
    return text


def _mail_address(text: str) -> str:
    name, at, domain = text.rpartition("@")
    if not (name and at and domain) or not text.isprintable():
        raise ValueError
    return text


def _database(url: str) -> Database:
    if url.startswith(_POSTGRES):
        return _postgres(url)
    path = url.removeprefix(_SQLITE)
    if not url.startswith(_SQLITE) or path in {"", ":memory:"} or "?" in path:
        # The address of another kind of database may hold a password.
        raise _BadValue(shown=_without_password(url))
    return Path(path)


def _without_password(url: str) -> str:
    """Return as much of a bad address as holds no password: `user=… password=…` has no scheme."""
    scheme, colon, _ = url.partition(":")
    if scheme == "sqlite" or not (colon or "=" in url or "@" in url):
        return url
    return f"{scheme[:_MAX_SCHEME_SHOWN]}:..." if colon and "=" not in scheme else _NOT_SHOWN


def _postgres(url: str) -> PostgresAddress:
    try:
        parts = urlsplit(url)
        # libpq reads several hosts and sockets itself; only user and password must be cut off.
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        raise _BadValue(
            expected="postgresql://user@host/database", shown="postgresql:..."
        ) from None
    return PostgresAddress(Secret(url), f"postgresql://{host}{parts.path}")


def _tls(text: str) -> Tls:
    certificate, comma, key = text.partition(",")
    match text.lower():
        case "none":
            return NoTls()
        case "auto":
            return AutoTls()
        case _ if certificate and comma and key:
            return TlsFiles(Path(certificate), Path(key))
        case _:
            raise ValueError


def _web_address(text: str) -> str:
    try:
        url = urlsplit(text)
        is_whole = url.scheme in {"http", "https"} and url.hostname and url.port != 0
    except ValueError:
        is_whole, url = False, urlsplit("")
    if not is_whole or url.query or url.fragment or "@" in url.netloc or not text.isprintable():
        raise _BadValue(shown="an address with a password" if "@" in text else text)
    return text.rstrip("/")


def _networks(text: str) -> Networks:
    return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())


def _token(text: str) -> Secret:
    if len(text) < _MIN_TOKEN_CHARACTERS:
        raise _BadValue(shown=_NOT_SHOWN)
    if not is_sendable(text):
        raise _BadValue(
            expected=f"letters, digits and -._~+/= alone, {_RECOMMENDED}",
            shown=_NOT_SHOWN,
        )
    return Secret(text)


FLAG = ValueParser("1 or 0", _flag)
HOST = ValueParser("an address or a name to listen on, such as 127.0.0.1, :: or localhost", _host)
PORT = ValueParser(f"a port from 1 to {_MAX_PORT}, or 0 for any free one", _port)
FILE = ValueParser("the path of a file", Path)
DIRECTORY = ValueParser("the path of a directory", Path)
DATABASE = ValueParser(
    "sqlite:///relative/path.db, sqlite:////absolute/path.db or postgresql://user@host/database",
    _database,
)
TLS = ValueParser("auto, none, or the files CERT,KEY with a comma between them", _tls)
NETWORKS = ValueParser("addresses or networks, such as 127.0.0.1,10.0.0.0/8", _networks)
TOKEN = ValueParser(
    f"{_MIN_TOKEN_CHARACTERS} characters or more, {_RECOMMENDED}",
    _token,
)
HOST_NAME = ValueParser("the name or address of a host, such as mail.example.com", _host)
TEXT = ValueParser("text on one line", _text)
SECRET = ValueParser("a secret", Secret)
MAIL_ADDRESS = ValueParser("an e-mail address, such as foliot@example.com", _mail_address)
KEYS = ValueParser("32 bytes in base64, several with commas between them, the newest first", Secret)
