"""The parts of statements that are about runs: filters, and figures of failures."""

from typing import Final

# Whether an entry of history is the last attempt of a run that passes a filter. Numbers grow with
# time: `+ 0` keeps a planner from taking number and time for two independent conditions, and so
# from expecting nearly no rows.
IS_WANTED_RUN: Final = """
    outcome IS NOT NULL AND number >= :first AND number < :before
    AND (CAST(:since AS BIGINT) IS NULL OR history.ended_at + 0 >= :since)
    AND (CAST(:until AS BIGINT) IS NULL OR history.ended_at + 0 <= :until)
    AND (CAST(:outcome AS TEXT) IS NULL OR outcome = :outcome)
    AND (CAST(:trigger AS TEXT) IS NULL OR trigger = :trigger)
    AND (CAST(:reason AS TEXT) IS NULL OR coalesce(reason, '') = :reason)
    AND (CAST(:host AS TEXT) IS NULL OR coalesce(host, '') = :host)
""".strip()

# What is read of each failure that is counted, and what is counted of them by reason and host. A
# failure is rerun if its planned time has a run that ended later, or one that is open: what
# `core.rules.repeated_runs.failed_entries` leaves out. A planned time has one run of the calendar.
COUNTED_FAILURE: Final = """
    history.reason, history.host, history.job_id, history.ended_at, number, outcome,
    history.expected_at, status_code, subscription, resource_group,
    collection.name AS collection_name, job.name AS job_name
""".strip()
FAILURE_FIGURES: Final = """
    reason, host, count(*), count(DISTINCT job_id), min(ended_at), max(ended_at), max(number),
    sum(CASE WHEN outcome = 'failed' AND (
        EXISTS (
            SELECT 1 FROM history AS later
            WHERE later.job_id = newest.job_id AND later.expected_at = newest.expected_at
              AND later.number > newest.number
              AND later.trigger IN ('manual', 'redrive', 'backfill')
              AND later.outcome IN ('succeeded', 'recovered', 'failed', 'canceled')
        )
        OR EXISTS (
            SELECT 1 FROM run
            WHERE run.job_id = newest.job_id AND run.expected_at = newest.expected_at
        )
    ) THEN 1 ELSE 0 END),
    min(status_code), max(status_code), count(status_code),
    min(subscription), min(resource_group), min(collection_name), min(job_name)
""".strip()

# Whether the last attempt of an open run has a reason and a host. A run whose attempts history no
# longer has has neither. `+ 0` keeps a planner from looking for the greatest number from the newest
# entry of all on.
FAILED_SO: Final = """(
    (CAST(:reason AS TEXT) IS NULL AND CAST(:host AS TEXT) IS NULL)
    OR EXISTS (
        SELECT 1 FROM history AS last
        WHERE last.job_id = run.job_id AND last.number = (
            SELECT max(history.number + 0) FROM history
            WHERE history.job_id = run.job_id AND history.run_id = run.id
              AND history.outcome IS NULL AND history.run_id IS NOT NULL
        )
          AND (CAST(:reason AS TEXT) IS NULL OR coalesce(last.reason, '') = :reason)
          AND (CAST(:host AS TEXT) IS NULL OR coalesce(last.host, '') = :host)
    )
    OR (
        coalesce(:reason, '') = '' AND coalesce(:host, '') = '' AND NOT EXISTS (
            SELECT 1 FROM history AS attempts
            WHERE attempts.job_id = run.job_id AND attempts.run_id = run.id
              AND attempts.outcome IS NULL AND attempts.run_id IS NOT NULL
        )
    )
)""".strip()
