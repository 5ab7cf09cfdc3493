"""Many rows as one array for each column, in PostgreSQL's own notation.

The driver would write each value by itself, which takes longer than all else a node does for an
occurrence. Most columns look the same in JSON, which is written as a whole.
"""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import json
from psycopg.adapt import Buffer, Dumper

from foliot.store.postgres.nul_text import escaped, needs_escape
from foliot.store.sql.rows import Row

_UNKNOWN: Final = 0


class Array(bytes):
    """An array as PostgreSQL reads it; of what, the statement says."""


class ArrayDumper(Dumper):
    """It is given as it is."""

    oid = _UNKNOWN

    def dump(self, obj: Array) -> Buffer:
        """Return what PostgreSQL is given."""
        return obj


def columns(rows: Sequence[Row]) -> tuple[Array, ...]:
    """Return the columns of rows."""
    return tuple(array(column) for column in zip(*rows, strict=True))


def array(values: Sequence[Any]) -> Array:
    """Return numbers, flags or texts, or nothing in the place of some, as an array."""
    if values and isinstance(values[0], bool):
        values = [int(each) for each in values]
    written = json.encode(values)
    # What is escaped in JSON is escaped in another way here.
    if b"\\" in written or needs_escape(written):
        return Array(b"{%b}" % ",".join(map(_element, values)).encode())
    return Array(b"{%b}" % written[1:-1])


def _element(value: object) -> str:
    if not isinstance(value, str):
        return "NULL" if value is None else str(value)
    quoted = escaped(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'
