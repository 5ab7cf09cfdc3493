"""The SQL by name: each statement of a `.sql` file, and which of them each database must have."""

from collections.abc import Set as AbstractSet
from importlib.resources import files
from typing import Final, Literal, get_args

from foliot.store.sql.columns import with_columns

# The names of the statements that the readings and the changes run.
Statement = Literal[
    "resource_group",
    "resource_groups",
    "count_resource_groups",
    "count_deployments",
    "count_jobs_of_group",
    "subscriptions",
    "save_resource_group",
    "delete_resource_group",
    "collection",
    "collections",
    "collections_in_group",
    "count_collections",
    "add_collection",
    "save_collection",
    "collection_state",
    "halt_jobs",
    "delete_collection",
    "delete_collections_of_group",
    "add_hidden_collection",
    "hide_job",
    "hide_jobs",
    "hide_jobs_of_group",
    "drop_definition",
    "drop_definitions",
    "drop_definitions_of_group",
    "drop_all_runs",
    "drop_runs_of_group",
    "calendar",
    "calendars",
    "calendar_names",
    "jobs_using",
    "add_calendar",
    "save_calendar",
    "delete_calendar",
    "use_calendar",
    "forget_calendars",
    "alert",
    "alerts",
    "alert_names",
    "add_alert",
    "save_alert",
    "delete_alert",
    "older_alert_seals",
    "reseal_alert",
    "located_job",
    "jobs",
    "jobs_in_state",
    "job_marks",
    "job_id",
    "job_ids",
    "count_jobs",
    "add_job",
    "add_definition",
    "count_added_job",
    "save_job",
    "save_definition",
    "note_job_change",
    "job_record",
    "count_deleted_job",
    "delete_job",
    "earliest_due_at",
    "due_jobs",
    "due_runs",
    "count_due",
    "claimed_runs",
    "current_state",
    "add_run",
    "plan_runs",
    "save_runs",
    "delete_runs",
    "count_open_runs",
    "count_runs",
    "held_ids",
    "release_runs",
    "stalled_jobs",
    "add_schedule_change",
    "note_halt",
    "note_resumption",
    "schedule_changes",
    "trim_schedule_changes_of_job",
    "trim_schedule_changes",
    "planned_entries",
    "ended_runs_by_planned_time",
    "make_runs_due",
    "make_all_runs_due",
    "renew_leases",
    "end_leases",
    "advance_job",
    "advance_jobs",
    "settle_jobs",
    "save_job_state",
    "fault_job",
    "drop_runs",
    "history",
    "history_with_status",
    "add_history",
    "inspect_histories",
    "newest_surplus",
    "trim_history",
    "jobs_ended_before",
    "tokens",
    "token",
    "add_token",
    "delete_token",
    "touch_token",
    "ended_session",
    "add_ended_session",
    "delete_ended_sessions",
    "seal_check",
    "save_seal_check",
    "older_seals",
    "search_collections",
    "runs_of_job",
    "open_runs",
    "ended_runs",
    "ended_runs_of_job",
    "ended_runs_of_collection",
    "notable_runs",
    "notable_runs_of_collection",
    "attempts_of_runs",
    "count_unrecorded",
    "unrecorded_up_to",
    "record_runs",
    "held_runs",
    "failing_jobs",
    "coming_jobs",
    "totals",
    "totals_of_all",
    "outcomes",
    "newest_number",
    "first_number_since",
    "attempt_samples",
    "nodes",
    "save_node",
    "delete_node",
    "delete_silent_nodes",
    "deployment",
    "deployments",
    "replace_deployment",
    "add_deployment",
    "trim_deployments",
    "delete_deployment",
    "delete_deployments",
    "older_deployment_seals",
    "reseal_deployment",
]


def statements_of(package: str, *, extra: AbstractSet[str] = frozenset()) -> dict[str, str]:
    """Return the shared statements with those that a database has in a form of its own."""
    return _SHARED | read_statements(
        package, "queries.sql", names={*get_args(Statement), *extra} ^ {*_SHARED}
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
