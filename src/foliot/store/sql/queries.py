"""The SQL, by name: each statement of `queries.sql` as a field."""

from importlib.resources import files

from msgspec import Struct, convert


class Queries(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The statements; one that is missing in the file, or that nothing names, fails at import."""

    collection: str
    collections: str
    collections_in_group: str
    count_collections: str
    add_collection: str
    save_collection: str
    collection_state: str
    halt_jobs: str
    delete_collection: str
    add_hidden_collection: str
    hide_job: str
    hide_jobs: str
    drop_definition: str
    drop_definitions: str
    drop_all_runs: str
    located_job: str
    jobs: str
    jobs_in_state: str
    job_marks: str
    count_jobs: str
    add_job: str
    add_definition: str
    count_added_job: str
    save_job: str
    save_definition: str
    count_deleted_job: str
    delete_job: str
    earliest_due_at: str
    due_jobs: str
    due_runs: str
    count_due: str
    claimed_runs: str
    standings: str
    add_run: str
    plan_runs: str
    planned_run: str
    save_runs: str
    delete_runs: str
    count_open_runs: str
    make_runs_due: str
    make_all_runs_due: str
    renew_leases: str
    end_leases: str
    advance_job: str
    advance_jobs: str
    settle_jobs: str
    save_job_state: str
    fault_job: str
    drop_runs: str
    history: str
    history_with_status: str
    add_history: str
    inspect_histories: str
    newest_surplus: str
    trim_history: str
    jobs_ended_before: str
    tokens: str
    token: str
    add_token: str
    delete_token: str
    touch_token: str
    ended_session: str
    add_ended_session: str
    delete_ended_sessions: str
    seal_check: str
    save_seal_check: str
    older_seals: str
    collections_seen: str
    runs_of_job: str
    held_runs: str
    failing_jobs: str
    coming_jobs: str
    tally: str
    tally_of_all: str
    outcomes: str
    newest_number: str
    recorded_from: str
    beats: str
    nodes: str
    save_node: str
    delete_node: str
    delete_silent_nodes: str


def parse(text: str) -> Queries:
    """Read statements that each stand below a line with their name."""
    return convert(statements(text), Queries)


def statements(text: str) -> dict[str, str]:
    """Return statements by their names."""
    return dict(_named(block) for block in text.split("-- name: ")[1:])


def _named(block: str) -> tuple[str, str]:
    name, _, rest = block.partition("\n")
    lines = (line for line in rest.splitlines() if not line.startswith("--"))
    return name.strip(), "\n".join(lines).strip()


QUERIES = parse(files("foliot.store.sql").joinpath("queries.sql").read_text("utf-8"))
