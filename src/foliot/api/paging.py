"""Listings: $top, $skip, $filter, and the link to the next page."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar
from urllib.parse import quote

from msgspec import Raw

from foliot.api.call import ApiResponse, Call
from foliot.app.listing_page import Page, RowKey
from foliot.core.errors import InvalidQuery, shown
from foliot.core.json_text import Json

PAGE_SIZE = 100

_FILTER = re.compile(r"\s*(\w+)\s+eq\s+(?:'([^']*)'|(\S+))\s*", re.IGNORECASE | re.ASCII)
_AND = re.compile(r"\s+and\s+(?=\w+\s+eq\s)", re.IGNORECASE | re.ASCII)
_MAX_FILTER = 1000
_MAX_SKIP = 2**31 - 1

Listed = TypeVar("Listed")
Value = TypeVar("Value")


class Window(NamedTuple, Generic[RowKey]):
    """The part of a listing that a call asks for."""

    page: Page[RowKey]
    is_capped: bool

    def split(self, rows: Sequence[Listed]) -> tuple[Sequence[Listed], Listed | None]:
        """Return the rows of the page, and its last row if there are more after it."""
        if self.is_capped or len(rows) <= PAGE_SIZE:
            return rows, None
        return rows[:PAGE_SIZE], rows[PAGE_SIZE - 1]


def window_of(call: Call, read_key: Callable[[str], RowKey]) -> Window[RowKey]:
    """Return the part of a listing that a call asks for."""
    top = number_of(call.query, "$top", 1, PAGE_SIZE)
    skip = number_of(call.query, "$skip", 0, _MAX_SKIP) or 0
    after = _row_key(call, read_key)
    if top is not None:
        return Window(Page(top, skip, after), is_capped=True)
    # One row more than a page tells whether there is a next page.
    return Window(Page(PAGE_SIZE + 1, skip, after), is_capped=False)


def filter_of(
    call: Call, field: str, values: Mapping[str, Value], *, old_name: str = ""
) -> Value | None:
    """Return the value that `$filter` asks for: one field, its values in any letter case."""
    text = call.query.get("$filter")
    if text is None:
        return None
    match = _FILTER.fullmatch(text)
    value = (match[2] or match[3] or "").lower() if match else ""
    if match is None or match[1].lower() not in (field, old_name) or value not in values:
        understood = ", ".join(f"{field} eq {each}" for each in values)
        raise InvalidQuery(f"$filter: {shown(text)} is not understood; give one of {understood}.")
    return values[value]


def conditions_of(call: Call, *fields: str) -> dict[str, str]:
    """Return the values that `$filter` asks for: each field may be compared once, joined by and."""
    text = call.query.get("$filter", "").strip()
    known = {field.lower(): field for field in fields}
    found: dict[str, str] = {}
    # The length is limited because the time to split a text grows with its square.
    parts = [text] if len(text) > _MAX_FILTER else _AND.split(text)
    for part in parts if text else ():
        match = _FILTER.fullmatch(part)
        field = known.pop(match[1].lower(), None) if match else None
        if match is None or field is None:
            understood = " and ".join(f"{each} eq '...'" for each in fields) or "no filter"
            raise InvalidQuery(f"$filter: {shown(text)} is not understood; give {understood}.")
        found[field] = match[2] if match[2] is not None else match[3]
    return found


def listing(
    call: Call,
    values: Sequence[Json | Raw],
    after: str | None,
    *,
    filters: Sequence[str] = ("$filter",),
) -> ApiResponse:
    """Return a page of a listing with the link to the next one, or null at the end."""
    link = None if after is None else _link(call, after, filters)
    content: dict[str, Any] = {"value": values, "nextLink": link}
    return ApiResponse(content=content)


def _row_key(call: Call, read: Callable[[str], RowKey]) -> RowKey | None:
    text = call.query.get("$skiptoken")
    if text is None:
        return None
    try:
        return read(text)
    except ValueError:
        raise InvalidQuery(
            f"$skiptoken: {shown(text)} is not valid; take it from a nextLink."
        ) from None


def _link(call: Call, after: str, filters: Sequence[str]) -> str:
    names = {"api-version", *filters}
    kept = {name: value for name, value in call.query.items() if name in names}
    query = "&".join(
        f"{name}={quote(value, safe='')}" for name, value in {**kept, "$skiptoken": after}.items()
    )
    return f"{call.base_url}{call.path}?{query}"


def number_of(query: Mapping[str, str], name: str, least: int, most: int) -> int | None:
    """Return a whole number of the query, or None if it is not given."""
    text = query.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 12 and least <= int(text) <= most):  # noqa: PLR2004
        raise InvalidQuery(
            f"{name}: {shown(text)} is not valid; give a whole number from {least} to {most}."
        )
    return int(text)
