"""What the database itself holds when all is over, read without asking any node."""

from collections import defaultdict

import psycopg

from chaos.facts import Recorded, Told

# Instants are stored as ticks of 100 ns since the year 1.
_EPOCH_TICKS = 719_162 * 86_400 * 10_000_000

_OPEN = (
    b"SELECT (SELECT count(*) FROM job WHERE state = 'enabled' AND starts_with(name, %s))"
    b" + (SELECT count(*) FROM run)"
)
_JOBS = b"SELECT id, name, state, execution_count FROM job"
_HISTORY = (
    b"SELECT job_id, expected_at, started_at, ended_at, status, message FROM history "
    b"ORDER BY started_at DESC, number DESC"
)
_WRONGLY_DUE = b"""
SELECT count(*)
FROM due FULL JOIN (
    SELECT next_at, id AS job_id, collection_id FROM job
    WHERE next_at IS NOT NULL AND state = 'enabled' AND is_halted = 0
) AS wanted USING (next_at, job_id, collection_id)
WHERE due.next_at IS NULL OR wanted.next_at IS NULL
"""
_OVERLAPPING = b"""
SELECT count(*) FROM (
    SELECT job_id FROM run WHERE due_at IS NOT NULL GROUP BY job_id HAVING count(*) > 1
) AS doubled
"""
_CONNECTIONS = (
    b"SELECT count(*) FROM pg_stat_activity "
    b"WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


def count_open(url: str, prefix: str) -> int:
    """Return how many jobs with such a name are not finished, and how many runs."""
    return _number(url, _OPEN, prefix)


def count_wrongly_due(url: str) -> int:
    """Return how many jobs are due otherwise than they say themselves."""
    return _number(url, _WRONGLY_DUE)


def count_overlapping(url: str) -> int:
    """Return how many jobs have two runs or more that do not wait their turn."""
    return _number(url, _OVERLAPPING)


def count_connections(url: str) -> int:
    """Return how many others are connected to the database."""
    return _number(url, _CONNECTIONS)


def told(url: str) -> dict[str, Told]:
    """Return what is stored of all jobs, by name."""
    with psycopg.connect(url) as connection:
        history: defaultdict[int, list[Recorded]] = defaultdict(list)
        for job, expected, started, ended, status, message in connection.execute(_HISTORY):
            moments = (_moment(expected), _moment(started), _moment(ended))
            history[job].append(Recorded(*moments, status, message))
        return {
            name: Told(state, executions, history[job])
            for job, name, state, executions in connection.execute(_JOBS)
        }


def _number(url: str, query: bytes, *parameters: str) -> int:
    with psycopg.connect(url) as connection:
        (found,) = connection.execute(query, parameters or None).fetchone() or (0,)
        return int(found)


def _moment(ticks: int) -> int:
    return (ticks - _EPOCH_TICKS) // 10
