-- Parameters have names, except in what runs for every occurrence: there they stand in the order of
-- the columns, because to bind them by name costs as much as the statement itself.

-- name: collection
-- A collection by its key.
SELECT id, subscription, resource_group, name, location, tags, sku, state, quota
FROM collection
WHERE folded_subscription = :subscription AND folded_group = :group AND folded_name = :name;

-- name: collections
-- A page of the collections of a subscription.
SELECT id, subscription, resource_group, name, location, tags, sku, state, quota
FROM collection
WHERE folded_subscription = :subscription
  AND (folded_group, folded_name) > (:after_group, :after_name)
ORDER BY folded_group, folded_name
LIMIT :limit OFFSET :skip;

-- name: collections_in_group
-- A page of the collections of a resource group. What was seen last may be of another group.
SELECT id, subscription, resource_group, name, location, tags, sku, state, quota
FROM collection
WHERE folded_subscription = :subscription
  AND folded_group = :group
  AND folded_name > CASE WHEN :after_group = :group THEN :after_name ELSE '' END
  AND :after_group <= :group
ORDER BY folded_name
LIMIT :limit OFFSET :skip;

-- name: count_collections
-- How many collections of a subscription have a plan.
SELECT count(*) FROM collection WHERE folded_subscription = :subscription AND sku = :sku;

-- name: add_collection
-- A new collection, without jobs.
INSERT INTO collection (
    subscription, resource_group, name, folded_subscription, folded_group, folded_name,
    location, tags, sku, state, quota
)
VALUES (
    :subscription, :group, :name, :folded_subscription, :folded_group, :folded_name,
    :location, :tags, :sku, :state, :quota
);

-- name: save_collection
-- What can change about a collection; its key cannot.
UPDATE collection
SET location = :location, tags = :tags, sku = :sku, state = :state, quota = :quota
WHERE id = :id;

-- name: collection_state
-- The state of a collection as it is before a change.
SELECT state FROM collection WHERE id = :id;

-- name: halt_jobs
-- Whether the collection of jobs stands still; goes with a change of its state.
UPDATE job SET is_halted = :is_halted WHERE collection_id = :collection_id;

-- name: delete_collection
-- A collection whose jobs were hidden.
DELETE FROM collection WHERE id = :id;

-- name: add_hidden_collection
-- Where deleted jobs are until the janitor has removed their history: a key that nobody can give.
INSERT INTO collection (
    id, subscription, resource_group, name, folded_subscription, folded_group, folded_name,
    sku, state
)
VALUES (0, '', '', '', '', '', '', 'Standard', 'Disabled')
ON CONFLICT DO NOTHING;

-- name: hide_job
-- A deleted job: its name is free, it never runs, and it is the first that the janitor removes.
UPDATE job
SET collection_id = 0, name = CAST(id AS TEXT), folded_name = CAST(id AS TEXT),
    state = 'faulted', is_halted = 1, next_at = NULL, ended_at = -1
WHERE id = :job_id;

-- name: hide_jobs
-- The same for all jobs of a collection.
UPDATE job
SET collection_id = 0, name = CAST(id AS TEXT), folded_name = CAST(id AS TEXT),
    state = 'faulted', is_halted = 1, next_at = NULL, ended_at = -1
WHERE collection_id = :collection_id;

-- name: drop_definition
-- What a deleted job did.
DELETE FROM definition WHERE job_id = :job_id;

-- name: drop_definitions
-- What the jobs of a deleted collection did.
DELETE FROM definition WHERE job_id IN (SELECT id FROM job WHERE collection_id = :collection_id);

-- name: drop_all_runs
-- All runs of a deleted collection.
DELETE FROM run WHERE job_id IN (SELECT id FROM job WHERE collection_id = :collection_id);

-- name: located_job
-- A job by its name, and before it its collection, which may be there without it.
SELECT
    collection.id, subscription, resource_group, collection.name, location, tags, sku,
    collection.state, quota,
    job.id, collection_id, job.name, job.state, calendar_at, next_at, occurrence, generation,
    last_execution_at, execution_count, failure_count, faulted_count, settled_at, settled_well,
    ended_at, sealed
FROM collection
    LEFT JOIN job ON collection_id = collection.id AND job.folded_name = ?
    LEFT JOIN definition ON definition.job_id = job.id
WHERE folded_subscription = ? AND folded_group = ? AND collection.folded_name = ?;

-- name: jobs
-- A page of the jobs of a collection. Definitions are not joined: those of jobs that are passed
-- over would be looked up as well.
SELECT
    id, collection_id, name, state, calendar_at, next_at, occurrence, generation,
    last_execution_at, execution_count, failure_count, faulted_count, settled_at, settled_well,
    ended_at, (SELECT sealed FROM definition WHERE job_id = job.id)
FROM job
WHERE collection_id = :collection_id AND folded_name > :after
ORDER BY folded_name
LIMIT :limit OFFSET :skip;

-- name: jobs_in_state
-- A page of the jobs of a collection that are in one state.
SELECT
    id, collection_id, name, state, calendar_at, next_at, occurrence, generation,
    last_execution_at, execution_count, failure_count, faulted_count, settled_at, settled_well,
    ended_at, (SELECT sealed FROM definition WHERE job_id = job.id)
FROM job
WHERE collection_id = :collection_id AND state = :state AND folded_name > :after
ORDER BY folded_name
LIMIT :limit OFFSET :skip;

-- name: job_marks
-- What tells whether the jobs of a collection have changed. A definition that is saved is sealed with
-- another nonce, which stands behind the name of its key.
SELECT
    job.id, name, state, (SELECT count(*) FROM run WHERE run.job_id = job.id),
    substr(sealed, 1, 21), calendar_at, next_at, occurrence, generation, execution_count,
    settled_at, settled_well
FROM job JOIN definition ON definition.job_id = job.id
WHERE collection_id = :collection_id
ORDER BY folded_name;

-- name: count_jobs
-- How many jobs a collection has, as counted when they were added and deleted.
SELECT job_count FROM collection WHERE id = :collection_id;

-- name: add_job
-- A new job, halted if its collection is; goes with add_definition and count_added_job.
INSERT INTO job (
    collection_id, name, folded_name, state, is_halted, calendar_at, next_at, occurrence,
    generation, last_execution_at, execution_count, failure_count, faulted_count, settled_at,
    settled_well, ended_at
)
VALUES (
    :collection_id, :name, :folded_name, :state,
    coalesce((SELECT state <> 'Enabled' FROM collection WHERE id = :collection_id), 0),
    :calendar_at, :next_at, :occurrence, :generation, :last_execution_at, :execution_count,
    :failure_count, :faulted_count, :settled_at, :settled_well,
    :ended_at
);

-- name: add_definition
-- What a new job does.
INSERT INTO definition (job_id, sealed) VALUES (:id, :sealed);

-- name: count_added_job
-- One job more in a collection.
UPDATE collection SET job_count = job_count + 1 WHERE id = :collection_id;

-- name: save_job
-- What can change about a job; goes with save_definition. A definition is sealed for its job's
-- name, which therefore must be right.
UPDATE job
SET state = :state, calendar_at = :calendar_at, next_at = :next_at, occurrence = :occurrence,
    generation = :generation, last_execution_at = :last_execution_at,
    execution_count = :execution_count, failure_count = :failure_count,
    faulted_count = :faulted_count, settled_at = :settled_at, settled_well = :settled_well,
    ended_at = :ended_at
WHERE id = :id AND collection_id = :collection_id AND folded_name = :folded_name;

-- name: save_definition
-- What a job does from now on, or the same under the newest key.
UPDATE definition SET sealed = :sealed WHERE job_id = :id;

-- name: count_deleted_job
-- One job fewer in its collection; comes before delete_job.
UPDATE collection SET job_count = job_count - 1
WHERE id = (SELECT collection_id FROM job WHERE id = :id) AND id > 0;

-- name: delete_job
-- A job, and by cascade its runs and its history.
DELETE FROM job WHERE id = :id;

-- name: earliest_due_at
-- When a job or a waiting run is due next.
SELECT min(at) FROM (
    SELECT * FROM (SELECT next_at AS at FROM due ORDER BY next_at LIMIT 1) AS planned
    UNION ALL
    SELECT * FROM (
        SELECT due_at AS at FROM run JOIN job ON job.id = run.job_id
        WHERE lease_until IS NULL AND is_halted = 0 AND (state <> 'disabled' OR is_manual = 1)
        ORDER BY due_at
        LIMIT 1
    ) AS waiting
) AS either;

-- name: due_jobs
-- Jobs whose time has come, with how many of their runs are open, and their collections; if some
-- collections crowd, those of the others.
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
WHERE job.state = 'enabled' AND is_halted = 0 AND next_at <= :now
  AND (:crowding IS NULL OR collection_id NOT IN (SELECT value FROM json_each(:crowding)))
ORDER BY next_at, job.id
LIMIT :limit;

-- name: due_runs
-- Runs that are due and wait, or whose lease has run out, with their jobs and collections.
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
    SELECT * FROM (
        SELECT run.id, due_at FROM run JOIN job ON job.id = run.job_id
        WHERE lease_until IS NULL AND due_at <= :now
          AND is_halted = 0 AND (state <> 'disabled' OR is_manual = 1)
          AND (:crowding IS NULL OR collection_id NOT IN (SELECT value FROM json_each(:crowding)))
        ORDER BY due_at, run.id
        LIMIT :limit
    ) AS waiting
    UNION ALL
    SELECT * FROM (
        SELECT run.id, due_at FROM run JOIN job ON job.id = run.job_id
        WHERE lease_until <= :now
          AND is_halted = 0 AND (state <> 'disabled' OR is_manual = 1)
          AND (:crowding IS NULL OR collection_id NOT IN (SELECT value FROM json_each(:crowding)))
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

-- name: count_due
-- How many jobs and runs are due and not held, counted up to a limit.
SELECT count(*) FROM (
    SELECT job_id FROM (SELECT job_id FROM due WHERE next_at <= :now LIMIT :limit) AS planned
    UNION ALL
    SELECT id FROM (
        SELECT run.id FROM run JOIN job ON job.id = run.job_id
        WHERE lease_until IS NULL AND due_at <= :now
          AND is_halted = 0 AND (state <> 'disabled' OR is_manual = 1)
        LIMIT :limit
    ) AS waiting
    UNION ALL
    SELECT id FROM (
        SELECT run.id FROM run JOIN job ON job.id = run.job_id
        WHERE lease_until <= :now
          AND is_halted = 0 AND (state <> 'disabled' OR is_manual = 1)
        LIMIT :limit
    ) AS lost
    LIMIT :limit
) AS due;

-- name: claimed_runs
-- Of runs under claims those that still are, with their jobs, how many runs of each job are open,
-- and their collections.
SELECT
    run.id, run.job_id, run.generation, run.occurrence, expected_at, phase, attempt, run.due_at,
    tag, is_manual, node, claim, lease_until,
    job.id, collection_id, job.name, job.state, calendar_at, next_at, job.occurrence,
    job.generation, last_execution_at, execution_count, failure_count, faulted_count, settled_at,
    settled_well, ended_at, sealed,
    collection.id, subscription, resource_group, collection.name, location, tags, sku,
    collection.state, quota,
    (SELECT count(*) FROM run AS other WHERE other.job_id = job.id)
FROM (VALUES (?, ?)) AS held
    JOIN run ON run.id = held.column1 AND claim = held.column2
    JOIN job ON job.id = run.job_id
    JOIN definition ON definition.job_id = job.id
    JOIN collection ON collection.id = job.collection_id;

-- name: standings
-- Of runs under claims those that still are, where their jobs stand, and how many runs of each job
-- are open; all in one value.
SELECT json_group_array(
    json_array(
        run.id, state, calendar_at, next_at, job.occurrence, job.generation, last_execution_at,
        execution_count, failure_count, faulted_count, settled_at, settled_well, ended_at,
        (SELECT count(*) FROM run AS other WHERE other.job_id = job.id)
    )
)
FROM (VALUES (?, ?)) AS held
    JOIN run ON run.id = held.column1 AND claim = held.column2
    JOIN job ON job.id = run.job_id;

-- name: add_run
-- A new run.
INSERT INTO run (
    job_id, generation, occurrence, expected_at, phase, attempt, due_at, tag, is_manual, node,
    claim, lease_until
)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: plan_runs
-- New runs of the calendar; an occurrence that is planned already is left as it is.
INSERT INTO run (
    job_id, generation, occurrence, expected_at, phase, attempt, due_at, tag, is_manual, node,
    claim, lease_until
)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT DO NOTHING;

-- name: planned_run
-- Whether a run is the one that was planned, and its id.
SELECT id FROM run WHERE job_id = ? AND expected_at = ? AND nullif(is_manual, 1) = 0 AND tag = ?;

-- name: save_runs
-- What can change about runs; which occurrence they are cannot.
UPDATE run
SET phase = new.column2, attempt = new.column3, due_at = new.column4, node = new.column5,
    claim = new.column6, lease_until = new.column7
FROM (VALUES (?, ?, ?, ?, ?, ?, ?)) AS new
WHERE run.id = new.column1;

-- name: delete_runs
-- Runs that have ended.
DELETE FROM run WHERE id IN (VALUES (?));

-- name: count_open_runs
-- How many runs of a job there are.
SELECT count(*) FROM run WHERE job_id = :job_id;

-- name: make_runs_due
-- Runs of a job that were due, or whose lease ended, before a moment: now they are due then.
UPDATE run
SET due_at = CASE WHEN lease_until IS NULL THEN :now ELSE due_at END,
    lease_until = CASE WHEN lease_until < :now THEN :now END
WHERE job_id = :job_id AND ((lease_until IS NULL AND due_at < :now) OR lease_until < :now);

-- name: make_all_runs_due
-- The same for all jobs of a collection.
UPDATE run
SET due_at = CASE WHEN lease_until IS NULL THEN :now ELSE due_at END,
    lease_until = CASE WHEN lease_until < :now THEN :now END
WHERE job_id IN (SELECT id FROM job WHERE collection_id = :collection_id)
  AND ((lease_until IS NULL AND due_at < :now) OR lease_until < :now);

-- name: renew_leases
-- All runs that a node holds, held longer; none of its leases ended before it renewed them last.
UPDATE run SET lease_until = :until
WHERE lease_until >= :since AND lease_until < :until AND node = :node;

-- name: end_leases
-- All runs that a node holds, held no longer: their leases have ended and are nobody's to renew.
UPDATE run SET lease_until = min(lease_until, :at), node = ''
WHERE lease_until IS NOT NULL AND node = :node;

-- name: advance_job
-- Where a job in an unchanged state stands. The state is left alone because its index would be
-- written anew with it.
UPDATE job
SET calendar_at = ?, next_at = ?, occurrence = ?, generation = ?, last_execution_at = ?,
    execution_count = ?, failure_count = ?, faulted_count = ?, settled_at = ?, settled_well = ?
WHERE id = ? AND state = ?;

-- name: advance_jobs
-- Where jobs in an unchanged state stand after their next time has come.
UPDATE job
SET next_at = new.column3, occurrence = new.column4, execution_count = new.column5
FROM (VALUES (?, ?, ?, ?, ?)) AS new
WHERE job.id = new.column1 AND state = new.column2;

-- name: settle_jobs
-- Where jobs in an unchanged state stand after an attempt; when they are due is left alone, and
-- its index with it.
UPDATE job
SET last_execution_at = new.column3, failure_count = new.column4, faulted_count = new.column5,
    settled_at = new.column6, settled_well = new.column7
FROM (VALUES (?, ?, ?, ?, ?, ?, ?)) AS new
WHERE job.id = new.column1 AND state = new.column2;

-- name: save_job_state
-- A changed state, with the time if it is a final one; comes before advance_job.
UPDATE job SET state = :state, ended_at = :ended_at WHERE id = :id;

-- name: fault_job
-- A job that cannot go on; goes with drop_runs.
UPDATE job SET state = 'faulted', next_at = NULL, ended_at = :now
WHERE id = :id AND state <> 'faulted';

-- name: drop_runs
-- All runs of a job.
DELETE FROM run WHERE job_id = :job_id;

-- name: history
-- A page of the history of a job, the newest first.
SELECT
    number, job_id, started_at, ended_at, expected_at, status, message, retry_count, repeat_count,
    is_error_action
FROM history
WHERE job_id = :job_id AND (started_at, number) < (:before_start, :before_number)
  AND EXISTS (SELECT 1 FROM job WHERE id = :job_id AND collection_id > 0)
ORDER BY started_at DESC, number DESC
LIMIT :limit OFFSET :skip;

-- name: history_with_status
-- A page of the attempts of a job that ended in one way, the newest first.
SELECT
    number, job_id, started_at, ended_at, expected_at, status, message, retry_count, repeat_count,
    is_error_action
FROM history
WHERE job_id = :job_id AND status = :status
  AND (started_at, number) < (:before_start, :before_number)
  AND EXISTS (SELECT 1 FROM job WHERE id = :job_id AND collection_id > 0)
ORDER BY started_at DESC, number DESC
LIMIT :limit OFFSET :skip;

-- name: add_history
-- One attempt.
INSERT INTO history (
    job_id, started_at, ended_at, expected_at, status, message, retry_count, repeat_count,
    is_error_action
)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: inspect_histories
-- Some jobs by id, and whether their history is too old or too long.
SELECT
    id,
    EXISTS (SELECT 1 FROM history WHERE job_id = job.id AND started_at < :since)
    OR EXISTS (SELECT 1 FROM history WHERE job_id = job.id LIMIT 1 OFFSET :kept)
FROM job
WHERE id > :after
ORDER BY id
LIMIT :limit;

-- name: newest_surplus
-- The newest entry of a job that is one too many.
SELECT started_at, number FROM history
WHERE job_id = :job_id
ORDER BY started_at DESC, number DESC
LIMIT 1 OFFSET :kept;

-- name: trim_history
-- The oldest entries of a job up to one of them, some at a time.
DELETE FROM history
WHERE number IN (
    SELECT number FROM history
    WHERE job_id = :job_id AND (started_at, number) <= (:started_at, :number)
    ORDER BY started_at, number
    LIMIT :limit
);

-- name: jobs_ended_before
-- Jobs that have been in a final state for long.
SELECT id FROM job WHERE ended_at < :at ORDER BY ended_at LIMIT :limit;

-- name: tokens
-- All tokens.
SELECT
    id, name, digest, role, scope_subscription, scope_group, scope_collection, created_at,
    expires_at, last_used_at
FROM token
ORDER BY id;

-- name: token
-- The token whose secret has a hash.
SELECT
    id, name, digest, role, scope_subscription, scope_group, scope_collection, created_at,
    expires_at, last_used_at
FROM token
WHERE digest = :digest;

-- name: add_token
-- A new token.
INSERT INTO token (
    name, digest, role, scope_subscription, scope_group, scope_collection, created_at, expires_at,
    last_used_at
)
VALUES (
    :name, :digest, :role, :scope_subscription, :scope_group, :scope_collection, :created_at,
    :expires_at, :last_used_at
);

-- name: delete_token
-- A token that is good no longer.
DELETE FROM token WHERE id = :id;

-- name: touch_token
-- When a token was last used.
UPDATE token SET last_used_at = :at WHERE id = :id;

-- name: ended_session
-- Whether somebody signed out of a session.
SELECT 1 FROM ended_session WHERE digest = :digest;

-- name: add_ended_session
-- A session that somebody signed out of.
INSERT INTO ended_session (digest, until_at) VALUES (:digest, :until_at) ON CONFLICT DO NOTHING;

-- name: delete_ended_sessions
-- Sessions that would have ended by themselves by now.
DELETE FROM ended_session WHERE until_at < :now;

-- name: seal_check
-- The value by which the key of a database is recognised.
SELECT sealed FROM seal_check;

-- name: save_seal_check
-- The same value under the newest key.
INSERT INTO seal_check (id, sealed) VALUES (1, :sealed)
ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed;

-- name: older_seals
-- Definitions that were not sealed with the newest key, some at a time.
SELECT id, collection_id, folded_name, sealed
FROM definition JOIN job ON job.id = definition.job_id
WHERE job_id > :after AND substr(sealed, 1, :size) <> :header
ORDER BY job_id
LIMIT :limit;

-- name: collections_seen
-- A page of the collections in a scope whose name holds a text, with how many jobs each has. In
-- this and the next statements an empty part of the scope is any.
SELECT
    id, subscription, resource_group, name, location, tags, sku, state, quota, job_count
FROM collection
WHERE (:subscription = '' OR folded_subscription = :subscription)
  AND (:group = '' OR folded_group = :group)
  AND (:collection = '' OR folded_name = :collection)
  AND folded_name LIKE :pattern ESCAPE '\'
  AND (folded_subscription, folded_group, folded_name)
      > (:after_subscription, :after_group, :after_name)
ORDER BY folded_subscription, folded_group, folded_name
LIMIT :limit;

-- name: runs_of_job
-- The open runs of a job.
SELECT
    id, job_id, generation, occurrence, expected_at, phase, attempt, due_at, tag, is_manual, node,
    claim, lease_until
FROM run
WHERE job_id = :job_id
ORDER BY id;

-- name: held_runs
-- Runs that a node holds, the longest due first, and where their jobs are.
SELECT
    run.id, run.job_id, run.generation, run.occurrence, expected_at, phase, attempt, run.due_at,
    tag, is_manual, node, claim, lease_until,
    subscription, resource_group, collection.name, job.name
FROM run
    JOIN job ON job.id = run.job_id
    JOIN collection ON collection.id = job.collection_id
WHERE lease_until IS NOT NULL
  AND (:subscription = '' OR folded_subscription = :subscription)
  AND (:group = '' OR folded_group = :group)
  AND (:collection = '' OR collection.folded_name = :collection)
ORDER BY run.due_at, run.id
LIMIT :limit;

-- name: failing_jobs
-- A page of the jobs of a scope that failed since a time, as the newest failures there tell: how many
-- each has, and the last. An error action is no failure of its own: it runs because its job failed.
SELECT
    number, history.job_id, started_at, history.ended_at, expected_at, status, message, retry_count,
    repeat_count, is_error_action, failures, subscription, resource_group, collection.name, job.name
FROM (
    SELECT job_id, count(*) AS failures, max(number) AS latest
    FROM (
        SELECT history.job_id, number FROM history
            JOIN job ON job.id = history.job_id
            JOIN collection ON collection.id = job.collection_id
        WHERE status = 'failed' AND started_at >= :since AND is_error_action = 0
          AND collection.id > 0
          AND (:subscription = '' OR folded_subscription = :subscription)
          AND (:group = '' OR folded_group = :group)
          AND (:collection = '' OR collection.folded_name = :collection)
          AND job.folded_name LIKE :pattern ESCAPE '\'
        ORDER BY started_at DESC
        LIMIT :sample
    ) AS recent
    GROUP BY job_id
) AS failing
    JOIN history ON number = latest
    JOIN job ON job.id = history.job_id
    JOIN collection ON collection.id = job.collection_id
ORDER BY number DESC
LIMIT :limit OFFSET :skip;

-- name: coming_jobs
-- Jobs that will run by a time, the earliest first, with their collections.
SELECT
    job.id, job.collection_id, job.name, job.state, calendar_at, job.next_at, occurrence,
    generation, last_execution_at, execution_count, failure_count, faulted_count, settled_at,
    settled_well, ended_at, (SELECT sealed FROM definition WHERE job_id = job.id),
    collection.id, subscription, resource_group, collection.name, location, tags, sku,
    collection.state, quota
FROM due
    JOIN job ON job.id = due.job_id
    JOIN collection ON collection.id = due.collection_id
WHERE due.next_at <= :until
  AND (:subscription = '' OR folded_subscription = :subscription)
  AND (:group = '' OR folded_group = :group)
  AND (:collection = '' OR collection.folded_name = :collection)
ORDER BY due.next_at, due.job_id
LIMIT :limit;

-- name: tally
-- How many runs are held, how many wait for a retry, how many attempts failed since a time, how
-- many jobs will run by a time; each counted no further than a limit.
SELECT
    (SELECT count(*) FROM (
        SELECT 1 FROM run
            JOIN job ON job.id = run.job_id
            JOIN collection ON collection.id = job.collection_id
        WHERE lease_until IS NOT NULL
          AND (:subscription = '' OR folded_subscription = :subscription)
          AND (:group = '' OR folded_group = :group)
          AND (:collection = '' OR collection.folded_name = :collection)
        LIMIT :limit
    ) AS held),
    (SELECT count(*) FROM (
        SELECT 1 FROM run
            JOIN job ON job.id = run.job_id
            JOIN collection ON collection.id = job.collection_id
        WHERE lease_until IS NULL AND attempt > 1
          AND (:subscription = '' OR folded_subscription = :subscription)
          AND (:group = '' OR folded_group = :group)
          AND (:collection = '' OR collection.folded_name = :collection)
        LIMIT :limit
    ) AS waiting),
    (SELECT count(*) FROM (
        SELECT 1 FROM history
            JOIN job ON job.id = history.job_id
            JOIN collection ON collection.id = job.collection_id
        WHERE status = 'failed' AND started_at >= :since AND is_error_action = 0
          AND (:subscription = '' OR folded_subscription = :subscription)
          AND (:group = '' OR folded_group = :group)
          AND (:collection = '' OR collection.folded_name = :collection)
        LIMIT :limit
    ) AS failed),
    (SELECT count(*) FROM (
        SELECT 1 FROM due JOIN collection ON collection.id = due.collection_id
        WHERE next_at <= :until
          AND (:subscription = '' OR folded_subscription = :subscription)
          AND (:group = '' OR folded_group = :group)
          AND (:collection = '' OR collection.folded_name = :collection)
        LIMIT :limit
    ) AS coming);

-- name: tally_of_all
-- The same for everything there is.
SELECT
    (SELECT count(*) FROM (
        SELECT 1 FROM run WHERE lease_until IS NOT NULL LIMIT :limit
    ) AS held),
    (SELECT count(*) FROM (
        SELECT 1 FROM run WHERE lease_until IS NULL AND attempt > 1 LIMIT :limit
    ) AS waiting),
    (SELECT count(*) FROM (
        SELECT 1 FROM history
        WHERE status = 'failed' AND started_at >= :since AND is_error_action = 0
          AND EXISTS (SELECT 1 FROM job WHERE job.id = job_id AND collection_id > 0)
        LIMIT :limit
    ) AS failed),
    (SELECT count(*) FROM (
        SELECT 1 FROM due WHERE next_at <= :until LIMIT :limit
    ) AS coming);

-- name: outcomes
-- How the last attempts of some jobs ended, the newest first, a letter for each; those of error
-- actions are left out, and where it is said so occurrences that were not attempted, too.
SELECT
    job.id,
    (
        SELECT group_concat(letter, '') FROM (
            SELECT substr(status, 1, 1) AS letter FROM history
            WHERE job_id = job.id AND is_error_action = 0
              AND (status <> 'postponed' OR :with_postponed = 1)
            ORDER BY started_at DESC, number DESC
            LIMIT :limit
        ) AS newest
    )
FROM job
WHERE job.id IN (SELECT value FROM json_each(:job_ids));

-- name: newest_number
-- The number of the attempt that was recorded last.
SELECT max(number) FROM history;

-- name: recorded_from
-- The first attempt from a number on, and when it ended.
SELECT number, ended_at FROM history WHERE number >= :number ORDER BY number LIMIT 1;

-- name: beats
-- The times of some attempts, by their numbers; those of error actions are left out.
SELECT started_at, ended_at, expected_at, status, retry_count = 0
FROM history
WHERE is_error_action = 0 AND number IN (SELECT value FROM json_each(:numbers))
ORDER BY number;

-- name: nodes
-- Who works on this database.
SELECT id, name, version, started_at, seen_at, has_api, has_engine, in_flight, waiting
FROM node
ORDER BY name, id;

-- name: save_node
-- A node that was heard of.
INSERT INTO node (
    id, name, version, started_at, seen_at, has_api, has_engine, in_flight, waiting
)
VALUES (
    :id, :name, :version, :started_at, :seen_at, :has_api, :has_engine, :in_flight, :waiting
)
ON CONFLICT (id) DO UPDATE
SET seen_at = excluded.seen_at, in_flight = excluded.in_flight, waiting = excluded.waiting;

-- name: delete_node
-- A node that has left.
DELETE FROM node WHERE id = :id;

-- name: delete_silent_nodes
-- Nodes that were not heard of for long.
DELETE FROM node WHERE seen_at < :before;
