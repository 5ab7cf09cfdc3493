"""The columns of each table in the order in which rows are read, and the SQL written from them.

A statement says `{job}` where it lists the columns of a job: the select list, the reader of the
row and the parameters of a change all come from the one tuple here.
"""

from collections.abc import Iterable
from typing import Final

from foliot.store.sql.run_conditions import (
    COUNTED_FAILURE,
    FAILED_SO,
    FAILURE_FIGURES,
    IS_WANTED_RUN,
)

RESOURCE_GROUP: Final = ("subscription", "name", "location", "tags")
COLLECTION: Final = (
    "id",
    "subscription",
    "resource_group",
    "name",
    "location",
    "tags",
    "sku",
    "state",
    "quota",
    "created_at",
    "changed_at",
    "changed_by",
)
CALENDAR: Final = ("id", "collection_id", "name", "dates", "changed_at", "changed_by")
ALERT: Final = ("id", "collection_id", "name", "is_enabled", "changed_at", "changed_by", "sealed")
INCIDENT: Final = (
    *("id", "alert_id", "job_id", "event", "opened_at", "facts", "telling", "closed_at"),
    "is_resolved",
)
NOTIFICATION: Final = (
    *("id", "incident_id", "alert_id", "number", "destination", "message", "due_at"),
    *("give_up_at", "attempt", "state", "error"),
)
# A job's definition is sealed and stored in a table of its own, so that it comes last.
JOB: Final = (
    "id",
    "collection_id",
    "name",
    "state",
    "calendar_at",
    "next_at",
    "occurrence",
    "generation",
    "last_execution_at",
    "execution_count",
    "failure_count",
    "faulted_count",
    "settled_at",
    "settled_well",
    "planned_at",
    "last_outcome",
    "consecutive_failures",
    "paused_because",
    "ended_at",
    "sealed",
)
JOB_STATE: Final = JOB[3:-1]
JOB_PROGRESS: Final = JOB[4:-2]
RUN: Final = (
    "id",
    "job_id",
    "generation",
    "occurrence",
    "expected_at",
    "phase",
    "attempt",
    "due_at",
    "tag",
    "is_manual",
    "trigger",
    "node",
    "claim",
    "lease_until",
)
HISTORY: Final = (
    "number",
    "job_id",
    "started_at",
    "ended_at",
    "expected_at",
    "status",
    "message",
    "retry_count",
    "repeat_count",
    "is_error_action",
    "run_id",
    "trigger",
    "tag",
    "outcome",
    "reason",
    "host",
    "status_code",
    "last_expected_at",
    "skipped_count",
    "timings",
)
AUDIT: Final = (
    "id",
    "at",
    "who",
    "token_id",
    "role",
    "address",
    "request_id",
    "action",
    "kind",
    "subscription",
    "resource_group",
    "collection",
    "name",
    "sealed",
)
# Names in lower case, by which entries are found.
_AUDIT_KEYS: Final = (
    *("folded_who", "folded_subscription", "folded_group", "folded_collection", "folded_name"),
)
FAILURE_MUTE: Final = (
    *("subscription", "resource_group", "collection", "reason", "host"),
    *("until_at", "muted_at", "muted_by"),
)
SCHEDULE_CHANGE: Final = ("job_id", "at", "from_at", "kind", "calendar")
TOKEN: Final = (
    "id",
    "name",
    "digest",
    "role",
    "scope_subscription",
    "scope_group",
    "scope_collection",
    "created_at",
    "expires_at",
    "last_used_at",
)
NODE: Final = (
    "id",
    "name",
    "version",
    "started_at",
    "seen_at",
    "has_api",
    "has_engine",
    "in_flight",
    "waiting",
    "keys",
)
# A search has at most so many terms, each with a letter.
SEARCH_SLOTS: Final = "abcdef"


def _of(table: str, columns: Iterable[str]) -> str:
    return _listed(f"{table}.{column}" for column in columns)


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(parts)


# Whether a collection is in a scope, of which an empty part matches everything.
_IN_SCOPE: Final = """
    (:subscription = '' OR folded_subscription = :subscription)
    AND (:group = '' OR folded_group = :group)
    AND (:collection = '' OR collection.folded_name = :collection)
""".strip()

# Whether a job is of a resource group.
_IN_GROUP: Final = """
    collection_id IN (
        SELECT id FROM collection
        WHERE folded_subscription = :subscription AND folded_group = :group
    )
""".strip()

# A deleted job: its name is free, it never runs, and the janitor removes it first.
_HIDDEN: Final = """
    collection_id = 0, name = CAST(id AS TEXT), folded_name = CAST(id AS TEXT),
    state = 'faulted', is_halted = 1, next_at = NULL, ended_at = -1
""".strip()

# Whether an entry of the audit log is about something in a scope, and passes a filter.
_IS_WANTED_AUDIT: Final = """
    at >= :since AND (at, id) < (:before_at, :before_id)
    AND (:scope_subscription = '' OR folded_subscription = :scope_subscription)
    AND (:scope_group = '' OR folded_group = :scope_group)
    AND (:scope_collection = '' OR folded_collection = :scope_collection)
    AND (CAST(:action AS TEXT) IS NULL OR action = :action)
    AND (CAST(:kind AS TEXT) IS NULL OR kind = :kind)
    AND (CAST(:folded_who AS TEXT) IS NULL OR folded_who = :folded_who)
    AND (:has_tokens = 1 OR kind <> 'token')
    AND (CAST(:folded_subscription AS TEXT) IS NULL OR folded_subscription = :folded_subscription)
    AND (CAST(:folded_group AS TEXT) IS NULL OR folded_group = :folded_group)
    AND (CAST(:folded_name AS TEXT) IS NULL OR folded_name = :folded_name)
""".strip()

# Whether what a job is searched by matches each term of a search; an unused term has no pattern.
_IS_FOUND: Final = "\n    AND ".join(
    f"""(
        :pattern_{letter} = '' OR CASE :field_{letter}
            WHEN 'name' THEN found.folded_name WHEN 'host' THEN found.host ELSE found.words
        END LIKE :pattern_{letter} ESCAPE '\\'
    )"""
    for letter in SEARCH_SLOTS
)

# The parts that statements name in braces. A new row is inserted without its id.
_PARTS: Final = {
    "{resource_group}": _of("resource_group", RESOURCE_GROUP),
    "{collection}": _of("collection", COLLECTION),
    "{calendar}": _of("calendar", CALENDAR),
    "{alert}": _of("alert", ALERT),
    "{incident}": _of("incident", INCIDENT),
    "{new_incident}": _listed(INCIDENT[1:-2]),
    "{new_incident_values}": _listed(f":{column}" for column in INCIDENT[1:-2]),
    "{notification}": _of("notification", NOTIFICATION),
    "{new_notification}": _listed(NOTIFICATION),
    "{new_notification_values}": _listed(f":{column}" for column in NOTIFICATION),
    "{job}": _of("job", JOB[:-1]),
    "{job_state}": _of("job", JOB_STATE),
    "{new_job}": _listed(JOB[1:-1]),
    "{new_job_values}": _listed(f":{column}" for column in JOB[1:-1]),
    "{set_job_state}": _listed(f"{column} = :{column}" for column in JOB_STATE),
    "{set_job_progress}": _listed(f"{column} = ?" for column in JOB_PROGRESS),
    "{run}": _of("run", RUN),
    "{new_run}": _listed(RUN[1:]),
    "{new_run_values}": _listed("?" for _ in RUN[1:]),
    "{schedule_change}": _listed(SCHEDULE_CHANGE),
    "{schedule_change_values}": _listed(f":{column}" for column in SCHEDULE_CHANGE),
    "{audit}": _listed(AUDIT),
    "{new_audit}": _listed((*AUDIT[1:], *_AUDIT_KEYS)),
    "{new_audit_values}": _listed(f":{column}" for column in (*AUDIT[1:], *_AUDIT_KEYS)),
    "{failure_mute}": _listed(FAILURE_MUTE),
    "{failure_mute_values}": _listed(f":{column}" for column in FAILURE_MUTE),
    "{is_wanted_audit}": _IS_WANTED_AUDIT,
    "{history}": _of("history", HISTORY),
    "{new_history}": _listed(HISTORY[1:]),
    "{new_history_values}": _listed("?" for _ in HISTORY[1:]),
    "{token}": _listed(TOKEN),
    "{new_token}": _listed(TOKEN[1:]),
    "{new_token_values}": _listed(f":{column}" for column in TOKEN[1:]),
    "{node}": _listed(NODE),
    "{node_values}": _listed(f":{column}" for column in NODE),
    "{in_scope}": _IN_SCOPE,
    "{in_group}": _IN_GROUP,
    "{failed_so}": FAILED_SO,
    "{counted_failure}": COUNTED_FAILURE,
    "{failure_figures}": FAILURE_FIGURES,
    "{hidden}": _HIDDEN,
    "{is_found}": _IS_FOUND,
    "{is_wanted_run}": IS_WANTED_RUN,
    "{names}": "subscription, resource_group, collection.name, job.name",
}


def with_columns(statement: str) -> str:
    """Return a statement with the parts in braces written out."""
    for name, part in _PARTS.items():
        statement = statement.replace(name, part)
    return statement
