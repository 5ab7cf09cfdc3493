"""What is told of a PostgreSQL that lets nobody in."""

import socket
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

_RULES = """
local all  careful  scram-sha-256
local all  outsider reject
local all  all      trust
"""


@pytest.fixture(scope="module")
def server() -> Generator[str]:
    """Return the address of a server on which one user has a password, and one may not come."""
    with postgres.private_server() as started:
        with psycopg.connect(started.url, autocommit=True) as connection:
            connection.execute("CREATE ROLE careful LOGIN PASSWORD 'hunter2'")
            connection.execute("CREATE ROLE outsider LOGIN")
            connection.execute("CREATE ROLE stranger LOGIN")
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
        PostgresStore.prepare(make_conninfo(url, connect_timeout=3, **changed), clock.now)
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
