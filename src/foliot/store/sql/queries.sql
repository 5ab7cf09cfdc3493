-- The statements that both databases run as they are; each adds a file with those that differ.
--
-- `{job}` is the list of a job's columns, `{run}` of a run's, and so on; `columns.py` has them all.
-- Parameters have names, except in statements that run for every occurrence: there they stand in the
-- order of the columns, because to bind them by name costs as much as the statement itself.

-- name: collection
-- A collection by its key.
SELECT {collection}
FROM collection
WHERE folded_subscription = :subscription AND folded_group = :group AND folded_name = :name;

-- name: collections
-- A page of the collections of a subscription.
SELECT {collection}
FROM collection
WHERE folded_subscription = :subscription
  AND (folded_group, folded_name) > (:after_group, :after_name)
ORDER BY folded_group, folded_name
LIMIT :limit OFFSET :skip;

-- name: collections_in_group
-- A page of the collections of a resource group. What was seen last may be of another group.
SELECT {collection}
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
    {collection},
    {job}, sealed
FROM collection
    LEFT JOIN job ON collection_id = collection.id AND job.folded_name = ?
    LEFT JOIN definition ON definition.job_id = job.id
WHERE folded_subscription = ? AND folded_group = ? AND collection.folded_name = ?;

-- name: jobs
-- A page of the jobs of a collection. Definitions are not joined: those of jobs that are passed
-- over would be looked up as well.
SELECT
    {job}, (SELECT sealed FROM definition WHERE job_id = job.id)
FROM job
WHERE collection_id = :collection_id AND folded_name > :after
ORDER BY folded_name
LIMIT :limit OFFSET :skip;

-- name: jobs_in_state
-- A page of the jobs of a collection that are in one state.
SELECT
    {job}, (SELECT sealed FROM definition WHERE job_id = job.id)
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
SET {set_job_state}
WHERE id = :id AND collection_id = :collection_id AND folded_name = :folded_name;

-- name: save_definition
-- What a job does from now on, or the same under the newest key.
UPDATE definition SET sealed = :sealed WHERE job_id = :id;

-- name: count_deleted_job
-- One job fewer in its collection; comes before delete_job.
UPDATE collection SET job_count = job_count - 1
WHERE id = (SELECT collection_id FROM job WHERE id = :id) AND id > 0;

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

-- name: add_run
-- A new run.
INSERT INTO run ({new_run})
VALUES ({new_run_values});

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

-- name: advance_job
-- Where a job in an unchanged state stands. The state is left alone because its index would be
-- written anew with it.
UPDATE job
SET {set_job_progress}
WHERE id = ? AND state = ?;

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
SELECT {history}
FROM history
WHERE job_id = :job_id AND (started_at, number) < (:before_start, :before_number)
  AND EXISTS (SELECT 1 FROM job WHERE id = :job_id AND collection_id > 0)
ORDER BY started_at DESC, number DESC
LIMIT :limit OFFSET :skip;

-- name: history_with_status
-- A page of the attempts of a job that ended in one way, the newest first.
SELECT {history}
FROM history
WHERE job_id = :job_id AND status = :status
  AND (started_at, number) < (:before_start, :before_number)
  AND EXISTS (SELECT 1 FROM job WHERE id = :job_id AND collection_id > 0)
ORDER BY started_at DESC, number DESC
LIMIT :limit OFFSET :skip;

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

-- name: jobs_ended_before
-- Jobs that have been in a final state for long.
SELECT id FROM job WHERE ended_at < :at ORDER BY ended_at LIMIT :limit;

-- name: tokens
-- All tokens.
SELECT {token}
FROM token
ORDER BY id;

-- name: token
-- The token whose secret has a hash.
SELECT {token}
FROM token
WHERE digest = :digest;

-- name: add_token
-- A new token.
INSERT INTO token ({new_token})
VALUES ({new_token_values});

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

-- name: search_collections
-- A page of the collections in a scope whose name holds a text, with how many jobs each has. In
-- this and the next statements an empty part of the scope is any.
SELECT
    {collection}, job_count
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
SELECT {run}
FROM run
WHERE job_id = :job_id
ORDER BY id;

-- name: held_runs
-- Runs that a node holds, the longest due first, and where their jobs are.
SELECT
    {run},
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
    {history}, failures, subscription, resource_group, collection.name, job.name
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
    {job}, (SELECT sealed FROM definition WHERE job_id = job.id),
    {collection}
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

-- name: newest_number
-- The number of the attempt that was recorded last.
SELECT max(number) FROM history;

-- name: recorded_from
-- The first attempt from a number on, and when it ended.
SELECT number, ended_at FROM history WHERE number >= :number ORDER BY number LIMIT 1;

-- name: nodes
-- Who works on this database.
SELECT {node}
FROM node
ORDER BY name, id;

-- name: save_node
-- A node that was heard of.
INSERT INTO node ({node})
VALUES ({node_values})
ON CONFLICT (id) DO UPDATE
SET seen_at = excluded.seen_at, in_flight = excluded.in_flight, waiting = excluded.waiting;

-- name: delete_node
-- A node that has left.
DELETE FROM node WHERE id = :id;

-- name: delete_silent_nodes
-- Nodes that were not heard of for long.
DELETE FROM node WHERE seen_at < :before;
