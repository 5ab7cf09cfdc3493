"""The SQL: that of SQLite in PostgreSQL's notation, with what differs in its place."""

import re
from importlib.resources import files
from typing import Final

from msgspec import Struct, convert, structs

from foliot.store.sql.queries import QUERIES, statements

_PARAMETER: Final = re.compile(r"(?<!:):([a-z_]+)")
# SQLite tells the id of a new row without being asked. A row that is refused is none at all: an
# error would end the whole transaction.
_ADDS: Final = frozenset({"add_collection", "add_job", "add_run", "add_token"})


class Locks(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a transaction locks before it reads."""

    collection: bytes
    collection_by_id: bytes
    subscription: bytes
    job: bytes
    jobs: bytes
    jobs_by_id: bytes
    tokens: bytes
    due_jobs: bytes
    due_runs: bytes


def _file(name: str) -> dict[str, str]:
    return statements(files("foliot.store.postgres").joinpath(name).read_text("utf-8"))


def _translated(query: str) -> bytes:
    return _PARAMETER.sub(r"%(\1)s", query).replace("?", "%s").encode()


def _by_common_text() -> dict[str, bytes]:
    """Return PostgreSQL's statement for each of SQLite's."""
    common: dict[str, str] = structs.asdict(QUERIES)
    own: dict[str, str] = _file("queries.sql")
    unknown = own.keys() - common.keys()
    if unknown:
        raise LookupError(f"queries.sql of PostgreSQL has statements nobody runs: {unknown}")
    chosen = common | own
    for name in _ADDS:
        added = chosen[name].removesuffix(";")
        chosen[name] = f"{added} ON CONFLICT DO NOTHING RETURNING id"
    return {common[name]: _translated(text) for name, text in chosen.items()}


STATEMENTS: Final = _by_common_text()
LOCKS: Final = convert(
    {name: _translated(text) for name, text in _file("locks.sql").items()}, Locks
)
