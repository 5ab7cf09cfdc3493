"""Whether a commit that was not answered has happened.

A connection may break after the database has committed and before it has answered. To assume "no"
would leave runs that this node holds and does not know of, to assume "yes" would acknowledge lost
changes. So the database is asked for the status of the transaction, for as long as it takes.
"""

from collections.abc import Callable

import psycopg

from foliot.store.postgres.connection import connect

_STATUS = b"SELECT pg_xact_status(%s::text::xid8)"


def was_committed(url: str, number: str, pause: Callable[[], bool]) -> bool | None:
    """Tell whether a transaction was committed; None if `pause` says that there is no more time."""
    while True:
        try:
            with connect(url) as connection:
                status = _status(connection, number)
        except psycopg.OperationalError:
            status = "in progress"
        if status != "in progress":
            return status == "committed"
        if not pause():
            return None


def _status(connection: psycopg.Connection, number: str) -> str | None:
    try:
        row = connection.execute(_STATUS, (number,)).fetchone()
    except psycopg.errors.InvalidParameterValue:
        # A number in the future: this server was promoted without having seen the transaction.
        return "aborted"
    return None if row is None else row[0]
