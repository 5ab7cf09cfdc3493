"""PostgreSQL's errors in words that quote neither SQL nor data nor a password."""

import re
from typing import Final

import psycopg

from foliot.core.errors import Unavailable
from foliot.store.errors import cannot_answer
from foliot.store.work_queue import WorkResult

# By the code of the error or else the two characters of its class.
_REASONS: Final = {
    "08": "the connection was lost",
    "28": "the user or the password is refused",
    "3D": "there is no such database",
    "3F": "there is no schema to create tables in (search_path)",
    "40": "it is in use by too many at once",
    "42501": "the user may not use or create tables (GRANT, or make it the database's owner)",
    "53": "the database has run out of a resource",
    "53100": "the disk is full",
    "53300": "the database has too many connections",
    "55P03": "another transaction holds what is needed",
    "57014": "it took too long",
    "57P": "the database is shutting down or starting",
    "25006": "it can only be read: it is a standby, or default_transaction_read_only is on",
    "25P03": "the transaction stood still for too long",
}

# While a connection is opened the library gives no code, only a text; the first pattern found gives
# the reason. A server that answers in another language than English "cannot be reached".
_CONNECTION_REASONS: Final = (
    # Of the library itself, before it connects.
    (r'invalid (port number|"?\w+"? value)', "a value in its address is not valid (port, sslmode)"),
    ("no password supplied", "it asks for a password, and none was given"),
    ("password authentication failed", "the user or the password is refused"),
    (r'role ".*" does not exist', "there is no such user"),
    (r'database ".*" does not exist', "there is no such database"),
    ("permission denied", "the user may not connect to this database"),
    (
        r"no pg_hba\.conf entry.*no encryption",
        "it does not let this user in from this address without TLS (sslmode, pg_hba.conf)",
    ),
    (r"pg_hba\.conf", "it does not let this user in from this address (pg_hba.conf)"),
    ("authentication failed", "the user or the password is refused"),
    ("does not support ssl", "it does not speak TLS, and the address asks for it (sslmode)"),
    ("root certificate file", "the file of trusted certificates cannot be read (sslrootcert)"),
    (
        "certificate verify failed|signature failure",
        "no trusted authority has signed its certificate (sslrootcert)",
    ),
    ("does not match host name", "its certificate is for another name (sslmode=verify-full)"),
    ("valid client certificate", "it asks for a certificate of the client (sslcert, sslkey)"),
    ("certificate", "its TLS certificate is not accepted, or ours is not"),
    ("ssl", "a TLS connection to it cannot be made"),
    ("too many", "the database has too many connections"),
    ("remaining connection slots", "the database has too many connections"),
    ("starting up", "the database is shutting down or starting"),
    ("shutting down", "the database is shutting down or starting"),
    ("recovery", "the database is shutting down or starting"),
    ("read-only", "it can only be read: it is a standby, or default_transaction_read_only is on"),
    ("resolve host", "the name of its host is not known"),
    ("translate host name", "the name of its host is not known"),
    ("connection refused", "nothing listens at its host and port"),
    ("no such file", "there is no socket of a server in that directory"),
    ("timeout", "its host does not answer"),
    ("no route", "its host cannot be reached"),
    ("unreachable", "its host cannot be reached"),
)


def unavailable(failure: Exception) -> Unavailable:
    """Return the error that says why the store cannot answer."""
    return cannot_answer(reason_of(failure))


def in_words(result: WorkResult) -> WorkResult:
    """Replace PostgreSQL's error by one that can be shown."""
    if isinstance(result.error, psycopg.Error):
        return result._replace(error=unavailable(result.error))
    return result


def reason_of(failure: Exception) -> str:
    """Return the reason of a failure in words."""
    code = getattr(failure, "sqlstate", None)
    if isinstance(failure, psycopg.ProgrammingError) and code is None:
        return "its address is not valid"
    if code is None:
        return _connection_reason(str(failure).lower())
    for part in (code, code[:3], code[:2]):
        if part in _REASONS:
            return _REASONS[part]
    return f"the database reports {type(failure).__name__}"


def _connection_reason(text: str) -> str:
    """Return why a connection was not made; the text itself may hold names, and is not shown."""
    # The server's own words come after this one; before it are host, user and database.
    said = text.partition("fatal:")[2] or text
    found = (reason for pattern, reason in _CONNECTION_REASONS if re.search(pattern, said))
    return next(found, "the database cannot be reached")


def may_be_tried_again(failure: Exception) -> bool:
    """Tell whether a failure came from concurrent transactions, or from a pooler.

    Nothing was changed.
    """
    return isinstance(
        failure,
        psycopg.errors.DeadlockDetected
        | psycopg.errors.SerializationFailure
        | psycopg.errors.InvalidSqlStatementName,
    )
