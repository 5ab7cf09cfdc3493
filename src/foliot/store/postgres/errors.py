"""What is wrong with a database, in words that quote neither SQL nor data nor a password."""

from typing import Final

import psycopg

from foliot.core.errors import Unavailable

# By the code of the error or else the two characters of its class.
_REASONS: Final = {
    "08": "the connection was lost",
    "28": "the user or the password is refused",
    "3D": "there is no such database",
    "40": "it is in use by too many at once",
    "42501": "the user may not do this",
    "53": "the database has run out of a resource",
    "53100": "the disk is full",
    "53300": "the database has too many connections",
    "55P03": "another transaction holds what is needed",
    "57014": "it took too long",
    "57P": "the database is shutting down or starting",
    "25P03": "the transaction stood still for too long",
}


def unavailable(failure: Exception) -> Unavailable:
    """Say that the store cannot answer, and why."""
    return Unavailable(f"The store cannot answer at the moment: {reason_of(failure)}.")


def reason_of(failure: Exception) -> str:
    """Return the reason of a failure in words."""
    code = getattr(failure, "sqlstate", None)
    if isinstance(failure, psycopg.ProgrammingError) and code is None:
        return "its address is not valid"
    if code is None:
        return "the database cannot be reached"
    for part in (code, code[:3], code[:2]):
        if part in _REASONS:
            return _REASONS[part]
    return f"the database reports {type(failure).__name__}"


def may_be_tried_again(failure: Exception) -> bool:
    """Tell whether others were in the way, who are gone now: nothing was done."""
    return isinstance(
        failure, psycopg.errors.DeadlockDetected | psycopg.errors.SerializationFailure
    )
