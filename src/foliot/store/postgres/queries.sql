-- The statements that PostgreSQL needs in a form of its own; all others are those of SQLite. What
-- comes in batches is given as one array for each column.
--
-- A queue that was empty when it was last analyzed is taken for one that always is, and the planner
-- would rather read all of it, with all old rows that a long transaction keeps there, than look runs
-- up by their ids or by when they are due. A part with an OFFSET of its own, and ANY in place of a
-- plain `=`, leave it no choice.

-- name: add_job
-- A new job, halted if its collection is; goes with add_definition and count_added_job.
INSERT INTO job (
    collection_id, name, folded_name, state, is_halted, calendar_at, next_at, occurrence,
    generation, last_execution_at, execution_count, failure_count, faulted_count, settled_at,
    settled_well, ended_at
)
VALUES (
    :collection_id, :name, :folded_name, :state,
    coalesce((SELECT (state <> 'Enabled')::int FROM collection WHERE id = :collection_id), 0),
    :calendar_at, :next_at, :occurrence, :generation, :last_execution_at, :execution_count,
    :failure_count, :faulted_count, :settled_at, :settled_well,
    :ended_at
);

-- name: delete_job
-- A job, by cascade its runs, and its history.
WITH gone AS (DELETE FROM job WHERE id = :id RETURNING id)
DELETE FROM history WHERE job_id IN (SELECT id FROM gone);

-- name: due_jobs
-- Jobs that were locked because their time has come, as they are now that they are locked.
SELECT
    job.id, collection_id, job.name, job.state, calendar_at, next_at, job.occurrence,
    job.generation, last_execution_at, execution_count, failure_count, faulted_count, settled_at,
    settled_well, ended_at, sealed,
    collection.id, subscription, resource_group, collection.name, location, tags, sku,
    collection.state, quota,
    (SELECT count(*) FROM run WHERE job_id = job.id)
FROM job
    JOIN definition ON definition.job_id = job.id
    JOIN collection ON collection.id = job.collection_id
WHERE job.id = ANY (:ids::bigint[])
ORDER BY next_at, job.id;

-- name: due_runs
-- Of runs whose jobs were locked because the runs were due those that still are and whose lease nobody
-- is about to renew, locked as well.
SELECT
    run.id, run.job_id, run.generation, run.occurrence, expected_at, phase, attempt, run.due_at,
    tag, is_manual, node, claim, lease_until,
    job.id, collection_id, job.name, job.state, calendar_at, next_at, job.occurrence,
    job.generation, last_execution_at, execution_count, failure_count, faulted_count, settled_at,
    settled_well, ended_at, sealed,
    collection.id, subscription, resource_group, collection.name, location, tags, sku,
    collection.state, quota,
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
-- When a job or a waiting run is due next, of those that are due after a moment.
SELECT min(at) FROM (
    SELECT * FROM (
        SELECT next_at AS at FROM due WHERE next_at >= :floor ORDER BY next_at LIMIT 1
    ) AS planned
    UNION ALL
    SELECT * FROM (
        SELECT due_at AS at
        FROM (
            SELECT * FROM run WHERE lease_until IS NULL AND due_at >= :floor
            ORDER BY due_at
            OFFSET 0
        ) AS run
            JOIN job ON job.id = run.job_id
        WHERE is_halted = 0 AND (state <> 'disabled' OR is_manual = 1)
        ORDER BY due_at
        LIMIT 1
    ) AS waiting
) AS either;

-- name: claimed_runs
-- Of runs under claims those that still are, with their jobs, how many runs of each job are open,
-- and their collections.
SELECT
    run.id, run.job_id, run.generation, run.occurrence, expected_at, phase, attempt, run.due_at,
    tag, is_manual, node, run.claim, lease_until,
    job.id, collection_id, job.name, job.state, calendar_at, next_at, job.occurrence,
    job.generation, last_execution_at, execution_count, failure_count, faulted_count, settled_at,
    settled_well, ended_at, sealed,
    collection.id, subscription, resource_group, collection.name, location, tags, sku,
    collection.state, quota,
    (SELECT count(*) FROM run AS other WHERE other.job_id = job.id)
FROM unnest(?::bigint[], ?::text[]) AS held (id, claim)
    CROSS JOIN LATERAL (
        SELECT * FROM run WHERE run.id = held.id AND run.claim = held.claim OFFSET 0
    ) AS run
    JOIN job ON job.id = run.job_id
    JOIN definition ON definition.job_id = job.id
    JOIN collection ON collection.id = job.collection_id;

-- name: standings
-- Of runs under claims those that still are, where their jobs stand, and how many runs of each job
-- are open; all in one value.
SELECT coalesce(
    json_agg(
        json_build_array(
            run.id, state, calendar_at, next_at, job.occurrence, job.generation, last_execution_at,
            execution_count, failure_count, faulted_count, settled_at, settled_well, ended_at,
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
-- New runs of the calendar; an occurrence that is planned already is left as it is.
INSERT INTO run (
    job_id, generation, occurrence, expected_at, phase, attempt, due_at, tag, is_manual, node,
    claim, lease_until
)
SELECT * FROM unnest(
    ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::int[], ?::bigint[],
    ?::text[], ?::int[], ?::text[], ?::text[], ?::bigint[]
)
ON CONFLICT DO NOTHING
RETURNING job_id, expected_at, id;

-- name: save_runs
-- What can change about runs; which occurrence they are cannot.
UPDATE run
SET phase = new.phase, attempt = new.attempt, due_at = new.due_at, node = new.node,
    claim = new.claim, lease_until = new.lease_until
FROM unnest(
    ?::bigint[], ?::text[], ?::int[], ?::bigint[], ?::text[], ?::text[], ?::bigint[]
) AS new (id, phase, attempt, due_at, node, claim, lease_until)
WHERE run.id = ANY (ARRAY[new.id]);

-- name: delete_runs
-- Runs that have ended.
DELETE FROM run WHERE id = ANY (?::bigint[]);

-- name: advance_jobs
-- Where jobs in an unchanged state stand after their next time has come.
UPDATE job
SET next_at = new.next_at, occurrence = new.occurrence, execution_count = new.execution_count
FROM unnest(?::bigint[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[])
    AS new (id, state, next_at, occurrence, execution_count)
WHERE job.id = new.id AND job.state = new.state;

-- name: settle_jobs
-- Where jobs in an unchanged state stand after an attempt; no index holds any of it.
UPDATE job
SET last_execution_at = new.last_execution_at, failure_count = new.failure_count,
    faulted_count = new.faulted_count, settled_at = new.settled_at,
    settled_well = new.settled_well
FROM unnest(
    ?::bigint[], ?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::int[]
) AS new (
    id, state, last_execution_at, failure_count, faulted_count, settled_at, settled_well
)
WHERE job.id = new.id AND job.state = new.state;

-- name: renew_leases
-- All runs that a node holds, held longer, except those that another transaction has locked: that one
-- removes the run or takes it over, and a renewal that waited for it could end in a deadlock.
UPDATE run SET lease_until = :until
FROM (
    SELECT id FROM run
    WHERE lease_until >= :since AND lease_until < :until AND node = :node
    OFFSET 0
    FOR NO KEY UPDATE SKIP LOCKED
) AS held
WHERE run.id = ANY (ARRAY[held.id]);

-- name: end_leases
-- All runs that a node holds, held no longer: their leases have ended and are nobody's to renew.
UPDATE run SET lease_until = least(lease_until, :at), node = ''
WHERE lease_until IS NOT NULL AND node = :node;

-- name: outcomes
-- How the last attempts of some jobs ended, the newest first, a letter for each; those of error
-- actions are left out, and where it is said so occurrences that were not attempted, too.
SELECT
    job.id,
    (
        SELECT string_agg(letter, '') FROM (
            SELECT substr(status, 1, 1) AS letter FROM history
            WHERE job_id = job.id AND is_error_action = 0
              AND (status <> 'postponed' OR :with_postponed = 1)
            ORDER BY started_at DESC, number DESC
            LIMIT :limit
        ) AS newest
    )
FROM job
WHERE job.id IN (SELECT value::bigint FROM json_array_elements_text(:job_ids::json));

-- name: beats
-- The times of some attempts, by their numbers; those of error actions are left out.
SELECT started_at, ended_at, expected_at, status, retry_count = 0
FROM history
WHERE is_error_action = 0 AND number IN (SELECT value::bigint FROM json_array_elements_text(:numbers::json))
ORDER BY number;

-- name: add_history
-- Attempts in their order, of jobs that are there and stay there until this is over.
INSERT INTO history (
    job_id, started_at, ended_at, expected_at, status, message, retry_count, repeat_count,
    is_error_action
)
SELECT
    job_id, started_at, ended_at, expected_at, status, message, retry_count, repeat_count,
    is_error_action
FROM (
    SELECT new.* FROM unnest(
        ?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::int[],
        ?::bigint[], ?::int[]
    ) WITH ORDINALITY AS new (
        job_id, started_at, ended_at, expected_at, status, message, retry_count, repeat_count,
        is_error_action, place
    )
        JOIN job ON job.id = new.job_id
    FOR KEY SHARE OF job
) AS kept
ORDER BY place;

-- name: trim_history
-- The oldest entries of a job up to one of them, some at a time.
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
-- Definitions that were not sealed with the newest key, some at a time, which
-- nobody changes meanwhile.
SELECT id, collection_id, folded_name, sealed
FROM definition JOIN job ON job.id = definition.job_id
WHERE job_id > :after AND substr(sealed, 1, :size) <> :header
ORDER BY job_id
LIMIT :limit
FOR NO KEY UPDATE OF definition;
