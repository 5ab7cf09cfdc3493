"""Which part of a listing a caller asks for."""

from typing import Generic, TypeVar

from msgspec import Struct

RowKey = TypeVar("RowKey")


class Page(Struct, Generic[RowKey], frozen=True):
    """At most `limit` rows after the row with a key, without the first `skip` of them."""

    limit: int = 100
    skip: int = 0
    after: RowKey | None = None
