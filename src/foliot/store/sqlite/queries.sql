-- The statements that SQLite needs in a form of its own. `{job}` and the like are explained in
-- `store/sql/queries.sql`. A statement for many rows is written for one row of VALUES.

-- name: add_job
-- Insert a job, halted if its collection is; goes with add_definition and count_added_job.
INSERT INTO job ({new_job}, folded_name, is_halted)
VALUES (
    {new_job_values}, :folded_name,
    coalesce((SELECT state <> 'Enabled' FROM collection WHERE id = :collection_id), 0)
);

-- name: delete_job
-- Delete a job, and by cascade its runs and its history.
DELETE FROM job WHERE id = :id;

-- name: earliest_due_at
-- Return when a job or a waiting run is due next; if others, of the first few, are due at most :gather
-- ticks after it, the time of the last of these.
WITH coming (at) AS (
    SELECT * FROM (SELECT next_at FROM due ORDER BY next_at LIMIT 8)
    UNION ALL
    SELECT * FROM (
        SELECT due_at FROM run JOIN job ON job.id = run.job_id
        WHERE lease_until IS NULL AND due_at IS NOT NULL
          AND is_halted = 0 AND (state <> 'disabled' OR is_manual = 1)
        ORDER BY due_at
        LIMIT 8
    )
)
SELECT max(at) FROM coming WHERE at <= (SELECT min(at) FROM coming) + :gather;

-- name: destination_states
-- Return when the destinations of the alerts of a collection last took a notification and last did not,
-- as far as the newest tries of each alert tell: there may be very many older ones.
SELECT
    tried.alert_id, tried.destination,
    max(CASE WHEN tried.state = 'sent' THEN tried.tried_at END),
    max(CASE WHEN tried.error IS NOT NULL THEN tried.tried_at END)
FROM alert CROSS JOIN notification AS tried ON tried.id IN (
        SELECT newest.id FROM notification AS newest
        WHERE newest.alert_id = alert.id AND newest.tried_at IS NOT NULL
        ORDER BY newest.tried_at DESC
        LIMIT :newest
    )
WHERE alert.collection_id = :collection_id
GROUP BY tried.alert_id, tried.destination;

-- name: destination_errors
-- Return the newest error of each destination of the alerts of a collection, among the same tries.
SELECT alert_id, destination, error FROM (
    SELECT
        tried.alert_id, tried.destination, tried.error,
        row_number() OVER (
            PARTITION BY tried.alert_id, tried.destination ORDER BY tried.tried_at DESC
        ) AS place
    FROM alert CROSS JOIN notification AS tried ON tried.id IN (
        SELECT newest.id FROM notification AS newest
        WHERE newest.alert_id = alert.id AND newest.tried_at IS NOT NULL
        ORDER BY newest.tried_at DESC
        LIMIT :newest
    )
    WHERE alert.collection_id = :collection_id AND tried.error IS NOT NULL
) AS failed
WHERE place = 1;

-- name: waiting_notifications
-- Return the first few due notifications of each alert and destination that nobody has claimed. The
-- recursion steps from one alert and destination to the next, and reads none of the rest of a queue.
WITH RECURSIVE queue (alert_id, destination) AS (
    SELECT * FROM (
        SELECT alert_id, destination FROM notification
        WHERE state = 'waiting' ORDER BY alert_id, destination LIMIT 1
    )
    UNION ALL
    SELECT following.alert_id, following.destination
    FROM queue CROSS JOIN notification AS following ON following.id = (
        SELECT later.id FROM notification AS later
        WHERE later.state = 'waiting'
          AND (later.alert_id, later.destination) > (queue.alert_id, queue.destination)
        ORDER BY later.alert_id, later.destination
        LIMIT 1
    )
)
SELECT due.id, due.alert_id, due.destination, {alert}
FROM queue
    CROSS JOIN notification AS due ON due.id IN (
        SELECT next.id FROM notification AS next
        WHERE next.alert_id = queue.alert_id AND next.destination = queue.destination
          AND next.state = 'waiting' AND next.due_at <= :now
          AND (next.lease_until IS NULL OR next.lease_until <= :now)
          AND NOT EXISTS (
            SELECT 1 FROM notification AS earlier
            WHERE earlier.incident_id = next.incident_id AND earlier.destination = next.destination
              AND earlier.number < next.number AND earlier.state = 'waiting'
          )
        ORDER BY next.due_at, next.id
        LIMIT :of_each
    )
    JOIN incident ON incident.id = due.incident_id
    JOIN job ON job.id = incident.job_id
    LEFT JOIN alert ON alert.id = due.alert_id
        AND alert.collection_id = job.collection_id AND alert.is_enabled = 1
ORDER BY due.due_at, due.id;

-- name: due_jobs
-- Return due jobs, with how many of their runs are open and do not wait their turn, and their
-- collections; excluded collections are left out.
SELECT
    {job}, sealed,
    {collection},
    (SELECT count(due_at) FROM run WHERE job_id = job.id)
FROM job
    JOIN definition ON definition.job_id = job.id
    JOIN collection ON collection.id = job.collection_id
WHERE job.state = 'enabled' AND is_halted = 0 AND next_at <= :now
  AND (:excluded IS NULL OR collection_id NOT IN (SELECT value FROM json_each(:excluded)))
ORDER BY next_at, job.id
LIMIT :limit;

-- name: due_runs
-- Return runs that are due and wait, or whose lease has run out, with their jobs and collections.
SELECT
    {run},
    {job}, sealed,
    {collection},
    (SELECT count(*) FROM run AS other WHERE other.job_id = job.id)
FROM (
    SELECT * FROM (
        SELECT run.id, due_at FROM run JOIN job ON job.id = run.job_id
        WHERE lease_until IS NULL AND due_at <= :now
          AND is_halted = 0 AND (state <> 'disabled' OR is_manual = 1)
          AND (:excluded IS NULL OR collection_id NOT IN (SELECT value FROM json_each(:excluded)))
        ORDER BY due_at, run.id
        LIMIT :limit
    ) AS waiting
    UNION ALL
    SELECT * FROM (
        SELECT run.id, due_at FROM run JOIN job ON job.id = run.job_id
        WHERE lease_until <= :now
          AND is_halted = 0 AND (state <> 'disabled' OR is_manual = 1)
          AND (:excluded IS NULL OR collection_id NOT IN (SELECT value FROM json_each(:excluded)))
        ORDER BY due_at, run.id
        LIMIT :limit
    ) AS lost
) AS due
    JOIN run ON run.id = due.id
    JOIN job ON job.id = run.job_id
    JOIN definition ON definition.job_id = job.id
    JOIN collection ON collection.id = job.collection_id
ORDER BY due.due_at, due.id
LIMIT :limit;

-- name: ended_runs_of_collection
-- Return a page of the runs of a collection that have ended, the last recorded first: of each job
-- some more than a page, since entries are not numbered exactly in the order of their starts.
SELECT
    {history}, {names}
FROM collection
    JOIN job ON job.collection_id = collection.id
    JOIN history ON history.number IN (
        SELECT number FROM history
        WHERE history.job_id = job.id AND {is_wanted_run}
        ORDER BY history.started_at DESC, number DESC
        LIMIT :limit + 100
    )
WHERE {in_scope} AND collection.id > 0
ORDER BY number DESC
LIMIT :limit;

-- name: notable_runs_of_collection
-- Return the same of the runs that did not simply succeed: they are chosen in an index of their own.
SELECT
    {history}, {names}
FROM history
    JOIN job ON job.id = history.job_id
    JOIN collection ON collection.id = job.collection_id
WHERE history.number IN (
    SELECT number
    FROM collection
        CROSS JOIN job ON job.collection_id = collection.id
        CROSS JOIN history INDEXED BY history_notable_of_job ON history.job_id = job.id
    WHERE outcome <> 'succeeded' AND {is_wanted_run} AND {in_scope} AND collection.id > 0
    ORDER BY number DESC
    LIMIT :limit
)
ORDER BY number DESC;

-- name: failure_groups_of_collection
-- Count runs by reason and host, of a collection or one of its jobs: a sample of the newest, read
-- from an index that has all it needs.
SELECT {failure_figures}
FROM (
    SELECT {counted_failure}
    FROM collection
        CROSS JOIN job ON job.collection_id = collection.id
        CROSS JOIN history INDEXED BY history_notable_of_job ON history.job_id = job.id
    WHERE outcome <> 'succeeded' AND {is_wanted_run} AND {in_scope} AND collection.id > 0
      AND (:job_id IS NULL OR job.id = :job_id)
    ORDER BY number DESC
    LIMIT :sample
) AS newest
GROUP BY reason, host;

-- name: attempts_of_runs
-- Return the attempts that did not end their runs, with the place of each run among those asked for.
-- Attempts from before runs were recorded belong together if they are of one occurrence.
SELECT asked.column1, {history}
FROM (VALUES (?, ?, ?, ?, ?)) AS asked
    CROSS JOIN history
WHERE history.job_id = asked.column2 AND run_id = asked.column3
  AND outcome IS NULL AND run_id IS NOT NULL
  AND (run_id > 0 OR (expected_at = asked.column4 AND repeat_count = asked.column5));

-- name: later_runs
-- Return, for failed runs with their place among those asked for, the open run that repeats each, and
-- the last one that has repeated it and ended.
SELECT
    asked.column1,
    (
        SELECT max(run.id) FROM run
        WHERE run.job_id = asked.column2 AND run.expected_at = asked.column3 AND phase = 'main'
    ),
    later.number, later.outcome
FROM (VALUES (?, ?, ?, ?)) AS asked
    LEFT JOIN history AS later ON later.number = (
        SELECT max(number) FROM history
        WHERE history.job_id = asked.column2 AND history.expected_at = asked.column3
          AND number > asked.column4
          AND trigger IN ('manual', 'redrive', 'backfill')
          AND outcome IN ('succeeded', 'recovered', 'failed', 'canceled')
    );

-- name: claimed_runs
-- Return which of the claimed runs are still held, with their jobs, how many runs of each job are
-- open, and their collections.
SELECT
    {run},
    {job}, sealed,
    {collection},
    (SELECT count(*) FROM run AS other WHERE other.job_id = job.id)
FROM (VALUES (?, ?)) AS held
    JOIN run ON run.id = held.column1 AND claim = held.column2
    JOIN job ON job.id = run.job_id
    JOIN definition ON definition.job_id = job.id
    JOIN collection ON collection.id = job.collection_id;

-- name: release_runs
-- Make runs of a job due that wait their turn, so that as many as may are in progress: those of the
-- calendar and by hand before redrives and backfills, the oldest planned time first. Those of the
-- calendar wait while the job is disabled: others must not wait for them.
UPDATE run SET due_at = :now
WHERE id IN (
    SELECT id FROM run
    WHERE job_id = :job_id AND due_at IS NULL
      AND (is_manual = 1
           OR (SELECT state FROM job WHERE id = :job_id) <> 'disabled')
    ORDER BY trigger IN ('redrive', 'backfill'), expected_at, id
    LIMIT (
        SELECT max(0, :most - count(due_at)) FROM run WHERE job_id = :job_id
    )
);

-- name: held_ids
-- Return which of the claimed runs are still held.
SELECT run.id
FROM (VALUES (?, ?)) AS held
    JOIN run ON run.id = held.column1 AND claim = held.column2;

-- name: current_state
-- Return, as one JSON value, which of the claimed runs are still held, the current state of their
-- jobs, and how many runs of each job are open.
SELECT json_group_array(
    json_array(
        run.id, {job_state}, (SELECT count(*) FROM run AS other WHERE other.job_id = job.id)
    )
)
FROM (VALUES (?, ?)) AS held
    JOIN run ON run.id = held.column1 AND claim = held.column2
    JOIN job ON job.id = run.job_id;

-- name: plan_runs
-- Insert runs of the calendar, except those whose occurrence is planned already.
INSERT INTO run ({new_run})
VALUES ({new_run_values})
ON CONFLICT DO NOTHING;

-- name: planned_run
-- Return the id of a run if it was planned; nothing if its occurrence was planned as another.
SELECT id FROM run WHERE job_id = ? AND expected_at = ? AND nullif(is_manual, 1) = 0 AND tag = ?;

-- name: save_runs
-- Update runs; their occurrences cannot change.
UPDATE run
SET phase = new.column2, attempt = new.column3, due_at = new.column4, node = new.column5,
    claim = new.column6, lease_until = new.column7
FROM (VALUES (?, ?, ?, ?, ?, ?, ?)) AS new
WHERE run.id = new.column1;

-- name: delete_runs
-- Delete runs that have ended.
DELETE FROM run WHERE id IN (VALUES (?));

-- name: renew_leases
-- Extend all leases of a node; none of them ends before the instant it last renewed them to.
UPDATE run SET lease_until = :until
WHERE lease_until >= :since AND lease_until < :until AND node = :node;

-- name: end_leases
-- End all leases of a node, so that it cannot renew them and others can claim the runs.
UPDATE run SET lease_until = min(lease_until, :at), node = ''
WHERE lease_until IS NOT NULL AND node = :node;

-- name: advance_jobs
-- Update jobs in an unchanged state after their next time was planned.
UPDATE job
SET next_at = new.column3, occurrence = new.column4, execution_count = new.column5,
    planned_at = new.column6
FROM (VALUES (?, ?, ?, ?, ?, ?)) AS new
WHERE job.id = new.column1 AND state = new.column2;

-- name: settle_jobs
-- Update jobs in an unchanged state after an attempt; their next time and its index are not
-- written.
UPDATE job
SET last_execution_at = new.column3, failure_count = new.column4, faulted_count = new.column5,
    settled_at = new.column6, settled_well = new.column7, last_outcome = new.column8,
    consecutive_failures = new.column9
FROM (VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)) AS new
WHERE job.id = new.column1 AND state = new.column2;

-- name: add_history
-- Insert attempts.
INSERT INTO history ({new_history})
VALUES ({new_history_values});

-- name: trim_history
-- Delete the oldest entries of a job up to one of them, a limited number at a time.
DELETE FROM history
WHERE number IN (
    SELECT number FROM history
    WHERE job_id = :job_id AND (started_at, number) <= (:started_at, :number)
    ORDER BY started_at, number
    LIMIT :limit
);

-- name: older_seals
-- Return definitions that were not sealed with the newest key, a limited number at a time.
SELECT id, collection_id, folded_name, sealed
FROM definition JOIN job ON job.id = definition.job_id
WHERE job_id > :after AND substr(sealed, 1, :size) <> :header
ORDER BY job_id
LIMIT :limit;

-- name: outcomes
-- Return how the last attempts of some jobs ended, the newest first, one letter each; without error
-- actions.
SELECT
    job.id,
    (
        SELECT group_concat(letter, '') FROM (
            SELECT substr(status, 1, 1) AS letter FROM history
            WHERE job_id = job.id AND is_error_action = 0
            ORDER BY started_at DESC, number DESC
            LIMIT :limit
        ) AS newest
    )
FROM job
WHERE job.id IN (SELECT value FROM json_each(:job_ids));

-- name: retried_runs
-- Count the open runs of some jobs that have failed and are retried, and those of them that wait, with
-- the time at which the first of these is due.
SELECT job_id, count(*), count(*) - count(lease_until), min(CASE WHEN lease_until IS NULL THEN due_at END)
FROM run
WHERE attempt > 1 AND phase = 'main' AND job_id IN (SELECT value FROM json_each(:job_ids))
GROUP BY job_id;

-- name: last_ended_runs
-- Return how that of the newest attempts of some jobs ended its run that was recorded last, and when it
-- began. Numbers grow in the order in which attempts end.
SELECT job.id, last.outcome, last.started_at
FROM job
    JOIN history AS last ON last.number = (
        SELECT max(number) FROM (
            SELECT number, outcome FROM history
            WHERE job_id = job.id
            ORDER BY started_at DESC, number DESC
            LIMIT :newest
        ) AS newest
        WHERE outcome IN ('succeeded', 'recovered', 'failed', 'canceled')
    )
WHERE job.id IN (SELECT value FROM json_each(:job_ids));

-- name: attempt_samples
-- Return the times of some attempts by their numbers, without error actions, and whether they are
-- first attempts of planned runs.
SELECT
    started_at, ended_at, expected_at, status,
    retry_count = 0 AND coalesce(trigger, 'schedule') IN ('schedule', 'catchUp')
FROM history
WHERE is_error_action = 0 AND number IN (SELECT value FROM json_each(:numbers))
ORDER BY number;

-- name: jobs_by_id
-- Return jobs with their definitions.
SELECT {job}, sealed
FROM job JOIN definition ON definition.job_id = job.id
WHERE job.id IN (SELECT value FROM json_each(:job_ids));

-- name: job_names
-- Return the names of jobs and of their collections, without deleted jobs.
SELECT job.id, subscription, resource_group, collection.name, job.name
FROM job JOIN collection ON collection.id = job.collection_id
WHERE collection.id > 0 AND job.id IN (SELECT value FROM json_each(:job_ids));
