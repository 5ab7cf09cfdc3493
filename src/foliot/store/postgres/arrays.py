"""Many rows as one array for each column, in PostgreSQL's own notation.

The driver would write each value by itself, which takes longer than all other work for an
occurrence. Most columns look the same in JSON, which is written at once.
"""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import json
from psycopg.adapt import Buffer, Dumper

from foliot.store.postgres.nul_text import escaped, needs_escape
from foliot.store.sql.dialect import Row

_UNKNOWN: Final = 0


class Array(bytes):
    """An array as PostgreSQL reads it; the statement casts it to its type."""


class ArrayDumper(Dumper):
    """Sends an array as it is."""

    oid = _UNKNOWN

    def dump(self, obj: Array) -> Buffer:
        """Return the bytes that are sent."""
        return obj


def columns(rows: Sequence[Row]) -> tuple[Array, ...]:
    """Return the columns of rows."""
    return tuple(array(column) for column in zip(*rows, strict=True))


def array(values: Sequence[Any]) -> Array:
    """Return numbers, flags or texts, some of which may be None, as an array."""
    if values and isinstance(values[0], bool):
        values = [int(each) for each in values]
    written = json.encode(values)
    # JSON escapes characters in another way than PostgreSQL.
    if b"\\" in written or needs_escape(written):
        return Array(b"{%b}" % ",".join(map(_element, values)).encode())
    return Array(b"{%b}" % written[1:-1])


def _element(value: object) -> str:
    if not isinstance(value, str):
        return "NULL" if value is None else str(value)
    quoted = escaped(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'
