"""What is wrong with a database or its keys, in words for the operator.

StoreError          a database that cannot be used
├── NewerSchema     one that a later version has changed
├── WrongKey        one whose definitions were sealed with a key that is not given
└── InvalidKeys     keys that are no keys
"""

from foliot.core.errors import FoliotError, Unavailable


class StoreError(FoliotError):
    """A database that cannot be used as it is."""


class NewerSchema(StoreError):
    """A database that a later version of Foliot has changed."""


class WrongKey(StoreError):
    """A database whose definitions were sealed with a key that is not given."""


class InvalidKeys(StoreError):
    """Keys that cannot be used."""


def cannot_answer(reason: str) -> Unavailable:
    """Return the error that says why the store cannot answer; the reason quotes no SQL or data."""
    return Unavailable(f"The store cannot answer at the moment: {reason}.")
