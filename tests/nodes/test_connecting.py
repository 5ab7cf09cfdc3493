"""What is told of a PostgreSQL that lets nobody in."""

import socket
import ssl
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from foliot.ports import clock
from foliot.store.errors import StoreError
from foliot.store.postgres import PostgresStore
from tests.support import postgres
from tests.support.tls_authority import Authority

_RULES = """
local all  careful  scram-sha-256
local all  outsider reject
local all  postgres trust
local all  stranger trust
local all  nobody   trust
local all  crowded  trust
local all  read_only trust
local all  homeless trust
"""


@pytest.fixture(scope="module")
def server() -> Generator[str]:
    """Return the address of a server on which one user has a password, and one may not come."""
    with postgres.private_server() as started:
        with psycopg.connect(started.url, autocommit=True) as connection:
            connection.execute("CREATE ROLE careful LOGIN PASSWORD 'hunter2'")
            connection.execute("CREATE ROLE outsider LOGIN")
            connection.execute("CREATE ROLE stranger LOGIN")
            connection.execute("CREATE ROLE encrypted LOGIN")
            connection.execute("CREATE ROLE crowded LOGIN CONNECTION LIMIT 1")
            connection.execute("CREATE ROLE read_only LOGIN")
            connection.execute("ALTER ROLE read_only SET default_transaction_read_only = on")
            connection.execute("CREATE ROLE homeless LOGIN")
            connection.execute("ALTER ROLE homeless SET search_path = nowhere")
            connection.execute("CREATE DATABASE closed")
            connection.execute("REVOKE CONNECT ON DATABASE closed FROM public")
            (rules,) = connection.execute("SHOW hba_file").fetchone() or ("",)
            Path(rules).write_text(_RULES)
        started.crash()
        started.start()
        yield started.url


@contextmanager
def refusing_tls(listener: socket.socket) -> Generator[None]:
    """Answer each connection as a server without TLS does."""

    def answer() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                with connection:
                    connection.recv(8)
                    connection.sendall(b"N")

    thread = Thread(target=answer)
    thread.start()
    try:
        yield
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


def reason(url: str, **changed: str) -> str:
    with pytest.raises(StoreError) as refused:
        PostgresStore.prepare(make_conninfo(url, **{"connect_timeout": "3"} | changed), clock.now)
    said = str(refused.value)
    assert not any(word in said for word in ("careful", "hunter2", "wrong", "missing.invalid"))
    return said.removeprefix("The PostgreSQL database does not open: ")


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"user": "careful", "password": "wrong"}, "the user or the password is refused."),
        ({"user": "careful"}, "it asks for a password, and none was given."),
        ({"user": "nobody"}, "there is no such user."),
        ({"dbname": "nowhere"}, "there is no such database."),
        ({"user": "stranger", "dbname": "closed"}, "the user may not connect to this database."),
        (
            {"user": "outsider"},
            "it does not let this user in from this address (pg_hba.conf).",
        ),
        ({"host": "missing.invalid"}, "the name of its host is not known."),
        ({"host": "/nowhere"}, "there is no socket of a server in that directory."),
        ({"port": "99999"}, "a value in its address is not valid (port, sslmode)."),
        ({"sslmode": "requires"}, "a value in its address is not valid (port, sslmode)."),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, dict) else "",
)
def test_a_database_that_does_not_open_is_told_with_the_reason(
    server: str, changed: dict[str, str], expected: str
) -> None:
    assert reason(server, **changed) == expected


def test_a_port_where_nothing_listens_is_told(server: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])

        told = reason(server, host="127.0.0.1", port=port)

    assert told == "nothing listens at its host and port."


def test_a_server_without_tls_is_told(server: str) -> None:
    # Whoever answers an offer of TLS with N does not speak it.
    with socket.create_server(("127.0.0.1", 0)) as plain:
        plain.settimeout(30)
        port = str(plain.getsockname()[1])
        with refusing_tls(plain):
            told = reason(server, host="127.0.0.1", port=port, sslmode="require")

    assert told == "it does not speak TLS, and the address asks for it (sslmode)."


def test_a_host_that_does_not_answer_is_told(server: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = str(silent.getsockname()[1])

        told = reason(server, host="127.0.0.1", port=port, connect_timeout="2")

    assert told == "its host does not answer."


class _TlsListener:
    """Accepts an offer of TLS as PostgreSQL does, and shows a certificate."""

    def __init__(self, listener: socket.socket, context: ssl.SSLContext) -> None:
        self._listener = listener
        self._context = context

    def answer(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                with connection, suppress(OSError):
                    connection.recv(8)
                    connection.sendall(b"S")
                    with self._context.wrap_socket(connection, server_side=True) as secure:
                        secure.recv(1)


@pytest.fixture
def tls_port(tmp_path: Path) -> Generator[str]:
    """Return the port of a server whose certificate is for another name."""
    issued = Authority(tmp_path).issue("other.test")
    (tmp_path / "server.pem").write_bytes(issued.pem())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=_TlsListener(listener, context).answer)
        thread.start()
        yield str(listener.getsockname()[1])
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.mark.parametrize(
    ("mode", "authority", "expected"),
    [
        (
            "verify-ca",
            "another.pem",
            "no trusted authority has signed its certificate (sslrootcert).",
        ),
        ("verify-full", "ca.pem", "its certificate is for another name (sslmode=verify-full)."),
        (
            "verify-full",
            "missing.pem",
            "the file of trusted certificates cannot be read (sslrootcert).",
        ),
    ],
    ids=["unknown authority", "another name", "no such file"],
)
def test_a_certificate_that_is_not_accepted_is_told(  # noqa: PLR0913, PLR0917  (a table)
    server: str, tls_port: str, tmp_path: Path, mode: str, authority: str, expected: str
) -> None:
    (tmp_path / "another").mkdir()
    another = Authority(tmp_path / "another").issue("another")
    (tmp_path / "another.pem").write_bytes(another.pem())
    tls = {"sslmode": mode, "sslrootcert": str(tmp_path / authority)}

    told = reason(server, host="localhost", port=tls_port, **tls)

    assert told == expected


def test_what_a_user_may_not_do_is_told(server: str) -> None:
    assert reason(server, user="stranger") == (
        "the user may not use or create tables (GRANT, or make it the database's owner)."
    )


def test_a_user_with_too_many_connections_is_told_so(server: str) -> None:
    with psycopg.connect(make_conninfo(server, user="crowded")):
        assert reason(server, user="crowded") == "the database has too many connections."


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        (
            "read_only",
            "it can only be read: it is a standby, or default_transaction_read_only is on.",
        ),
        ("homeless", "there is no schema to create tables in (search_path)."),
        (
            "encrypted",
            "it does not let this user in from this address without TLS (sslmode, pg_hba.conf).",
        ),
    ],
)
def test_a_user_who_is_limited_is_told_how(server: str, user: str, expected: str) -> None:
    assert reason(server, user=user) == expected
