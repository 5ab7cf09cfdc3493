-- The statements that PostgreSQL needs in a form of its own. `{job}` and the like are explained in
-- `store/sql/queries.sql`. Rows that come together are given as one array for each column.
--
-- The planner takes a queue that was empty when it was last analyzed for one that is always empty,
-- and would read all of it, with all old rows that a long transaction keeps there, instead of
-- looking runs up by id or by due time. A subquery with OFFSET, and ANY in place of a plain `=`,
-- leave it no choice but the index.

-- name: add_job
-- Insert a job, halted if its collection is; goes with add_definition and count_added_job.
INSERT INTO job ({new_job}, folded_name, is_halted)
VALUES (
    {new_job_values}, :folded_name,
    coalesce((SELECT (state <> 'Enabled')::int FROM collection WHERE id = :collection_id), 0)
);

-- name: delete_job
-- Delete a job, by cascade its runs, and its history.
WITH gone AS (DELETE FROM job WHERE id = :id RETURNING id)
DELETE FROM history WHERE job_id IN (SELECT id FROM gone);

-- name: destination_states
-- Return when the destinations of the alerts of a collection last took a notification and last did not,
-- as far as the newest tries of each alert tell: there may be very many older ones.
SELECT
    tried.alert_id, tried.destination,
    max(CASE WHEN tried.state = 'sent' THEN tried.tried_at END),
    max(CASE WHEN tried.error IS NOT NULL THEN tried.tried_at END)
FROM alert CROSS JOIN LATERAL (
        SELECT * FROM notification AS newest
        WHERE newest.alert_id = alert.id AND newest.tried_at IS NOT NULL
        ORDER BY newest.tried_at DESC
        LIMIT :newest
    ) AS tried
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
    FROM alert CROSS JOIN LATERAL (
        SELECT * FROM notification AS newest
        WHERE newest.alert_id = alert.id AND newest.tried_at IS NOT NULL
        ORDER BY newest.tried_at DESC
        LIMIT :newest
    ) AS tried
    WHERE alert.collection_id = :collection_id AND tried.error IS NOT NULL
) AS failed
WHERE place = 1;

-- name: waiting_notifications
-- Return the first few due notifications of each alert and destination that nobody has claimed. The
-- recursion steps from one alert and destination to the next, and reads none of the rest of a queue.
WITH RECURSIVE queue (alert_id, destination) AS (
    (
        SELECT alert_id, destination FROM notification
        WHERE state = 'waiting' ORDER BY alert_id, destination LIMIT 1
    )
    UNION ALL
    SELECT following.alert_id, following.destination
    FROM queue CROSS JOIN LATERAL (
        SELECT later.alert_id, later.destination FROM notification AS later
        WHERE later.state = 'waiting'
          AND (later.alert_id, later.destination) > (queue.alert_id, queue.destination)
        ORDER BY later.alert_id, later.destination
        LIMIT 1
    ) AS following
)
SELECT due.id, due.alert_id, due.destination, {alert}
FROM queue
    CROSS JOIN LATERAL (
        SELECT next.* FROM notification AS next
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
    ) AS due
    JOIN incident ON incident.id = due.incident_id
    JOIN job ON job.id = incident.job_id
    LEFT JOIN alert ON alert.id = due.alert_id
        AND alert.collection_id = job.collection_id AND alert.is_enabled = 1
ORDER BY due.due_at, due.id;

-- name: due_jobs
-- Read due jobs after they were locked, with how many of their runs are open and do not wait their
-- turn.
SELECT
    {job}, sealed,
    {collection},
    (SELECT count(due_at) FROM run WHERE job_id = job.id)
FROM job
    JOIN definition ON definition.job_id = job.id
    JOIN collection ON collection.id = job.collection_id
WHERE job.id = ANY (:ids::bigint[])
ORDER BY next_at, job.id;

-- name: due_runs
-- Read due runs after their jobs were locked, and lock those that are still due and whose lease
-- nobody is renewing.
SELECT
    {run},
    {job}, sealed,
    {collection},
    (SELECT count(*) FROM run AS other WHERE other.job_id = job.id)
FROM (
    SELECT * FROM run WHERE id = ANY (:ids::bigint[])
    OFFSET 0
    FOR NO KEY UPDATE SKIP LOCKED
) AS run
    JOIN job ON job.id = run.job_id
    JOIN definition ON definition.job_id = job.id
    JOIN collection ON collection.id = job.collection_id
WHERE lease_until <= :now OR (lease_until IS NULL AND run.due_at <= :now)
ORDER BY run.due_at, run.id;

-- name: earliest_due_at
-- Return when a job or a waiting run is due next, of those in the scan window; if others, of the first
-- few, are due at most :gather ticks after it, the time of the last of these.
WITH coming (at) AS (
    SELECT * FROM (
        SELECT next_at FROM due WHERE next_at >= :due_since ORDER BY next_at LIMIT 8
    ) AS planned
    UNION ALL
    SELECT * FROM (
        SELECT due_at
        FROM (
            SELECT * FROM run WHERE lease_until IS NULL AND due_at >= :due_since
            ORDER BY due_at
            OFFSET 0
        ) AS run
            JOIN job ON job.id = run.job_id
        WHERE is_halted = 0 AND (state <> 'disabled' OR is_manual = 1)
        ORDER BY due_at
        LIMIT 8
    ) AS waiting
)
SELECT max(at) FROM coming WHERE at <= (SELECT min(at) FROM coming) + :gather;

-- name: ended_runs_of_collection
-- Return a page of the runs of a collection that have ended, the last recorded first: of each job
-- some more than a page, since entries are not numbered exactly in the order of their starts.
SELECT
    {history}, {names}
FROM collection
    JOIN job ON job.collection_id = collection.id
    CROSS JOIN LATERAL (
        SELECT * FROM history
        WHERE history.job_id = job.id AND {is_wanted_run}
        ORDER BY history.started_at DESC, number DESC
        LIMIT :limit + 100
    ) AS history
WHERE {in_scope} AND collection.id > 0
ORDER BY number DESC
LIMIT :limit;

-- name: notable_runs_of_collection
-- Return the same of the runs that did not simply succeed: they are chosen in an index of their own.
SELECT
    {history}, {names}
FROM (
    SELECT number AS chosen
    FROM collection
        JOIN job ON job.collection_id = collection.id
        CROSS JOIN LATERAL (
            SELECT number FROM history
            WHERE history.job_id = job.id AND outcome <> 'succeeded' AND {is_wanted_run}
            ORDER BY number DESC
            LIMIT :limit
        ) AS history
    WHERE {in_scope} AND collection.id > 0
    ORDER BY number DESC
    LIMIT :limit
) AS page
    JOIN history ON history.number = chosen
    JOIN job ON job.id = history.job_id
    JOIN collection ON collection.id = job.collection_id
ORDER BY number DESC;

-- name: failure_groups_of_collection
-- Count runs by reason and host, of a collection or one of its jobs: a sample of the newest, read
-- from an index that has all it needs.
SELECT {failure_figures}
FROM (
    SELECT {counted_failure}
    FROM collection
        JOIN job ON job.collection_id = collection.id
        CROSS JOIN LATERAL (
            SELECT reason, host, job_id, ended_at, number, outcome, expected_at, status_code
            FROM history
            WHERE history.job_id = job.id AND outcome <> 'succeeded' AND {is_wanted_run}
            ORDER BY number DESC
            LIMIT :sample
        ) AS history
    WHERE {in_scope} AND collection.id > 0
      AND (CAST(:job_id AS BIGINT) IS NULL OR job.id = :job_id)
    ORDER BY number DESC
    LIMIT :sample
) AS newest
GROUP BY reason, host;

-- name: attempts_of_runs
-- Return the attempts that did not end their runs, with the place of each run among those asked for.
-- Attempts from before runs were recorded belong together if they are of one occurrence.
SELECT asked.place, {history}
FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
    AS asked (place, job_id, run_id, expected_at, repeat_count)
    CROSS JOIN LATERAL (
        SELECT * FROM history
        WHERE history.job_id = asked.job_id AND history.run_id = asked.run_id
          AND outcome IS NULL AND history.run_id IS NOT NULL
          AND (
              history.run_id > 0
              OR (
                  history.expected_at = asked.expected_at
                  AND history.repeat_count = asked.repeat_count
              )
          )
        OFFSET 0
    ) AS history;

-- name: later_runs
-- Return, for failed runs with their place among those asked for, the open run that repeats each, and
-- the last one that has repeated it and ended.
SELECT
    asked.place,
    (
        SELECT max(run.id) FROM run
        WHERE run.job_id = asked.job_id AND run.expected_at = asked.expected_at
          AND phase = 'main'
    ),
    later.number, later.outcome
FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
    AS asked (place, job_id, expected_at, number)
    LEFT JOIN LATERAL (
        SELECT history.number, outcome FROM history
        WHERE history.job_id = asked.job_id AND history.expected_at = asked.expected_at
          AND history.number > asked.number
          AND trigger IN ('manual', 'redrive', 'backfill')
          AND outcome IN ('succeeded', 'recovered', 'failed', 'canceled')
        ORDER BY history.number DESC
        LIMIT 1
    ) AS later ON TRUE;

-- name: claimed_runs
-- Return which of the claimed runs are still held, with their jobs, how many runs of each job are
-- open, and their collections.
SELECT
    {run},
    {job}, sealed,
    {collection},
    (SELECT count(*) FROM run AS other WHERE other.job_id = job.id)
FROM unnest(?::bigint[], ?::text[]) AS held (id, claim)
    CROSS JOIN LATERAL (
        SELECT * FROM run WHERE run.id = held.id AND run.claim = held.claim OFFSET 0
    ) AS run
    JOIN job ON job.id = run.job_id
    JOIN definition ON definition.job_id = job.id
    JOIN collection ON collection.id = job.collection_id;

-- name: release_runs
-- Make runs of a job due that wait their turn, so that as many as may are in progress: those of the
-- calendar and by hand before redrives and backfills, the oldest planned time first. Those of the
-- calendar wait while the job is disabled: others must not wait for them.
UPDATE run SET due_at = :now
FROM (
    SELECT id FROM run
    WHERE job_id = ANY (ARRAY[:job_id::bigint]) AND due_at IS NULL
      AND (is_manual = 1 OR (SELECT state FROM job WHERE id = :job_id::bigint) <> 'disabled')
    ORDER BY trigger IN ('redrive', 'backfill'), expected_at, id
    LIMIT (
        SELECT greatest(0, :most::bigint - count(due_at))
        FROM run WHERE job_id = ANY (ARRAY[:job_id::bigint])
    )
) AS released
WHERE run.id = ANY (ARRAY[released.id]);

-- name: held_ids
-- Return which of the claimed runs are still held.
SELECT run.id
FROM unnest(?::bigint[], ?::text[]) AS held (id, claim)
    CROSS JOIN LATERAL (
        SELECT id FROM run WHERE run.id = held.id AND run.claim = held.claim OFFSET 0
    ) AS run;

-- name: current_state
-- Return, as one JSON value, which of the claimed runs are still held, the current state of their
-- jobs, and how many runs of each job are open.
SELECT coalesce(
    json_agg(
        json_build_array(
            run.id, {job_state},
            (SELECT count(*) FROM run AS other WHERE other.job_id = job.id)
        )
    ),
    '[]'
)::text
FROM unnest(?::bigint[], ?::text[]) AS held (id, claim)
    CROSS JOIN LATERAL (
        SELECT id, job_id FROM run WHERE run.id = held.id AND run.claim = held.claim OFFSET 0
    ) AS run
    JOIN job ON job.id = run.job_id;

-- name: plan_runs
-- Insert runs of the calendar, except those whose occurrence is planned already.
INSERT INTO run ({new_run})
SELECT * FROM unnest(
    ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::int[], ?::bigint[],
    ?::text[], ?::int[], ?::text[], ?::text[], ?::text[], ?::bigint[]
)
ON CONFLICT DO NOTHING
RETURNING job_id, expected_at, id;

-- name: save_runs
-- Update runs; their occurrences cannot change.
UPDATE run
SET phase = new.phase, attempt = new.attempt, due_at = new.due_at, node = new.node,
    claim = new.claim, lease_until = new.lease_until
FROM unnest(
    ?::bigint[], ?::text[], ?::int[], ?::bigint[], ?::text[], ?::text[], ?::bigint[]
) AS new (id, phase, attempt, due_at, node, claim, lease_until)
WHERE run.id = ANY (ARRAY[new.id]);

-- name: delete_runs
-- Delete runs that have ended.
DELETE FROM run WHERE id = ANY (?::bigint[]);

-- name: advance_jobs
-- Update jobs in an unchanged state after their next time was planned.
UPDATE job
SET next_at = new.next_at, occurrence = new.occurrence, execution_count = new.execution_count,
    planned_at = new.planned_at
FROM unnest(?::bigint[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[])
    AS new (id, state, next_at, occurrence, execution_count, planned_at)
WHERE job.id = new.id AND job.state = new.state;

-- name: settle_jobs
-- Update jobs in an unchanged state after an attempt; no index has any of these columns.
UPDATE job
SET last_execution_at = new.last_execution_at, failure_count = new.failure_count,
    faulted_count = new.faulted_count, settled_at = new.settled_at,
    settled_well = new.settled_well, last_outcome = new.last_outcome,
    consecutive_failures = new.consecutive_failures
FROM unnest(
    ?::bigint[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::int[],
    ?::text[], ?::bigint[]
) AS new (
    id, state, last_execution_at, failure_count, faulted_count, settled_at, settled_well,
    last_outcome, consecutive_failures
)
WHERE job.id = new.id AND job.state = new.state;

-- name: renew_leases
-- Extend all leases of a node, except of runs that another transaction has locked: that one removes
-- the run or takes it over, and a renewal that waited for it could end in a deadlock.
UPDATE run SET lease_until = :until
FROM (
    SELECT id FROM run
    WHERE lease_until >= :since AND lease_until < :until AND node = :node
    OFFSET 0
    FOR NO KEY UPDATE SKIP LOCKED
) AS held
WHERE run.id = ANY (ARRAY[held.id]);

-- name: end_leases
-- End all leases of a node, so that it cannot renew them and others can claim the runs.
UPDATE run SET lease_until = least(lease_until, :at), node = ''
WHERE lease_until IS NOT NULL AND node = :node;

-- name: outcomes
-- Return how the last attempts of some jobs ended, the newest first, one letter each; without error
-- actions.
SELECT
    job.id,
    (
        SELECT string_agg(letter, '') FROM (
            SELECT substr(status, 1, 1) AS letter FROM history
            WHERE job_id = job.id AND is_error_action = 0
            ORDER BY started_at DESC, number DESC
            LIMIT :limit
        ) AS newest
    )
FROM job
WHERE job.id IN (SELECT value::bigint FROM json_array_elements_text(:job_ids::json));

-- name: retried_runs
-- Count the open runs of some jobs that have failed and are retried, and those of them that wait, with
-- the time at which the first of these is due.
SELECT job_id, count(*), count(*) - count(lease_until), min(CASE WHEN lease_until IS NULL THEN due_at END)
FROM run
WHERE attempt > 1 AND phase = 'main' AND job_id IN (SELECT value::bigint FROM json_array_elements_text(:job_ids::json))
GROUP BY job_id;

-- name: last_ended_runs
-- Return how that of the newest attempts of some jobs ended its run that was recorded last, and when it
-- began. Numbers grow in the order in which attempts end.
SELECT job.id, last.outcome, last.started_at
FROM job
    CROSS JOIN LATERAL (
        SELECT outcome, started_at FROM (
            SELECT number, outcome, started_at FROM history
            WHERE history.job_id = job.id
            ORDER BY started_at DESC, number DESC
            LIMIT :newest
        ) AS newest
        WHERE outcome IN ('succeeded', 'recovered', 'failed', 'canceled')
        ORDER BY number DESC
        LIMIT 1
    ) AS last
WHERE job.id IN (SELECT value::bigint FROM json_array_elements_text(:job_ids::json));

-- name: attempt_samples
-- Return the times of some attempts by their numbers, without error actions, and whether they are
-- first attempts of planned runs.
SELECT
    started_at, ended_at, expected_at, status,
    retry_count = 0 AND coalesce(trigger, 'schedule') IN ('schedule', 'catchUp')
FROM history
WHERE is_error_action = 0 AND number IN (SELECT value::bigint FROM json_array_elements_text(:numbers::json))
ORDER BY number;

-- name: add_history
-- Insert attempts in their order, of jobs that exist, and keep those jobs until the transaction
-- ends.
INSERT INTO history ({new_history})
SELECT {new_history}
FROM (
    SELECT new.* FROM unnest(
        ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::int[],
        ?::bigint[], ?::int[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
        ?::int[], ?::bigint[], ?::bigint[], ?::text[]
    ) WITH ORDINALITY AS new (
        {new_history}, place
    )
        JOIN job ON job.id = new.job_id
    FOR KEY SHARE OF job
) AS kept
ORDER BY place;

-- name: trim_history
-- Delete the oldest entries of a job up to one of them, a limited number at a time.
DELETE FROM history
USING (
    SELECT started_at, number FROM history
    WHERE job_id = :job_id AND (started_at, number) <= (:started_at, :number)
    ORDER BY started_at, number
    LIMIT :limit
) AS surplus
WHERE history.job_id = :job_id
  AND history.started_at = surplus.started_at AND history.number = surplus.number;

-- name: older_seals
-- Return definitions that were not sealed with the newest key, a limited number at a time, locked.
SELECT id, collection_id, folded_name, sealed
FROM definition JOIN job ON job.id = definition.job_id
WHERE job_id > :after AND substr(sealed, 1, :size) <> :header
ORDER BY job_id
LIMIT :limit
FOR NO KEY UPDATE OF definition;

-- name: jobs_by_id
-- Return jobs with their definitions.
SELECT {job}, sealed
FROM job JOIN definition ON definition.job_id = job.id
WHERE job.id IN (
    SELECT value::bigint FROM json_array_elements_text(:job_ids::json)
);

-- name: job_names
-- Return the names of jobs and of their collections, without deleted jobs.
SELECT job.id, subscription, resource_group, collection.name, job.name
FROM job JOIN collection ON collection.id = job.collection_id
WHERE collection.id > 0 AND job.id IN (
    SELECT value::bigint FROM json_array_elements_text(:job_ids::json)
);
