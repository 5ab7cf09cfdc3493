"""The SQL by name: each statement of a `.sql` file, and which of them each database must have."""

from collections.abc import Set as AbstractSet
from enum import StrEnum, auto
from importlib.resources import files
from typing import Final

from foliot.store.sql.columns import with_columns


class Statement(StrEnum):
    """The names of the statements that the readings and the changes run."""

    COLLECTION = auto()
    COLLECTIONS = auto()
    COLLECTIONS_IN_GROUP = auto()
    COUNT_COLLECTIONS = auto()
    ADD_COLLECTION = auto()
    SAVE_COLLECTION = auto()
    COLLECTION_STATE = auto()
    HALT_JOBS = auto()
    DELETE_COLLECTION = auto()
    ADD_HIDDEN_COLLECTION = auto()
    HIDE_JOB = auto()
    HIDE_JOBS = auto()
    DROP_DEFINITION = auto()
    DROP_DEFINITIONS = auto()
    DROP_ALL_RUNS = auto()
    LOCATED_JOB = auto()
    JOBS = auto()
    JOBS_IN_STATE = auto()
    JOB_MARKS = auto()
    COUNT_JOBS = auto()
    ADD_JOB = auto()
    ADD_DEFINITION = auto()
    COUNT_ADDED_JOB = auto()
    SAVE_JOB = auto()
    SAVE_DEFINITION = auto()
    COUNT_DELETED_JOB = auto()
    DELETE_JOB = auto()
    EARLIEST_DUE_AT = auto()
    DUE_JOBS = auto()
    DUE_RUNS = auto()
    COUNT_DUE = auto()
    CLAIMED_RUNS = auto()
    CURRENT_STATE = auto()
    ADD_RUN = auto()
    PLAN_RUNS = auto()
    SAVE_RUNS = auto()
    DELETE_RUNS = auto()
    COUNT_OPEN_RUNS = auto()
    MAKE_RUNS_DUE = auto()
    MAKE_ALL_RUNS_DUE = auto()
    RENEW_LEASES = auto()
    END_LEASES = auto()
    ADVANCE_JOB = auto()
    ADVANCE_JOBS = auto()
    SETTLE_JOBS = auto()
    SAVE_JOB_STATE = auto()
    FAULT_JOB = auto()
    DROP_RUNS = auto()
    HISTORY = auto()
    HISTORY_WITH_STATUS = auto()
    ADD_HISTORY = auto()
    INSPECT_HISTORIES = auto()
    NEWEST_SURPLUS = auto()
    TRIM_HISTORY = auto()
    JOBS_ENDED_BEFORE = auto()
    TOKENS = auto()
    TOKEN = auto()
    ADD_TOKEN = auto()
    DELETE_TOKEN = auto()
    TOUCH_TOKEN = auto()
    ENDED_SESSION = auto()
    ADD_ENDED_SESSION = auto()
    DELETE_ENDED_SESSIONS = auto()
    SEAL_CHECK = auto()
    SAVE_SEAL_CHECK = auto()
    OLDER_SEALS = auto()
    SEARCH_COLLECTIONS = auto()
    RUNS_OF_JOB = auto()
    HELD_RUNS = auto()
    FAILING_JOBS = auto()
    COMING_JOBS = auto()
    TALLY = auto()
    TALLY_OF_ALL = auto()
    OUTCOMES = auto()
    NEWEST_NUMBER = auto()
    RECORDED_FROM = auto()
    BEATS = auto()
    NODES = auto()
    SAVE_NODE = auto()
    DELETE_NODE = auto()
    DELETE_SILENT_NODES = auto()


def statements_of(package: str, *, extra: AbstractSet[str] = frozenset()) -> dict[str, str]:
    """Return the shared statements with those that a database has in a form of its own."""
    return _SHARED | read_statements(
        package, "queries.sql", names={*Statement, *extra} ^ {*_SHARED}
    )


def read_statements(
    package: str, file: str, *, names: AbstractSet[str] | None = None
) -> dict[str, str]:
    """Return the statements of a file by their names.

    A file that lacks one of `names`, or has another, fails at import.
    """
    text = files(package).joinpath(file).read_text("utf-8")
    found = dict(_named(block) for block in text.split("-- name: ")[1:])
    if names is not None and found.keys() != names:
        wrong = ", ".join(sorted(found.keys() ^ names))
        raise LookupError(f"{file} of {package} has too few or too many statements: {wrong}")
    return found


def _named(block: str) -> tuple[str, str]:
    name, _, rest = block.partition("\n")
    lines = (line for line in rest.splitlines() if not line.startswith("--"))
    return name.strip(), with_columns("\n".join(lines).strip())


_SHARED: Final = read_statements("foliot.store.sql", "queries.sql")
