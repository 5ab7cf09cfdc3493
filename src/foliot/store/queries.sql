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
)
RETURNING id;

-- name: save_collection
-- What can change about a collection; its key cannot.
UPDATE collection
SET location = :location, tags = :tags, sku = :sku, state = :state, quota = :quota
WHERE id = :id;

-- name: delete_collection
-- A collection, and by cascade its jobs, their runs and their history.
DELETE FROM collection WHERE id = :id;

-- name: job
-- A job by its name.
SELECT
    id, collection_id, name, state, calendar_at, next_at, occurrence, generation,
    last_execution_at, execution_count, failure_count, faulted_count, definition
FROM job
WHERE collection_id = :collection_id AND folded_name = :name;

-- name: jobs
-- A page of the jobs of a collection.
SELECT
    id, collection_id, name, state, calendar_at, next_at, occurrence, generation,
    last_execution_at, execution_count, failure_count, faulted_count, definition
FROM job
WHERE collection_id = :collection_id AND folded_name > :after
ORDER BY folded_name
LIMIT :limit OFFSET :skip;

-- name: jobs_in_state
-- A page of the jobs of a collection that are in one state.
SELECT
    id, collection_id, name, state, calendar_at, next_at, occurrence, generation,
    last_execution_at, execution_count, failure_count, faulted_count, definition
FROM job
WHERE collection_id = :collection_id AND state = :state AND folded_name > :after
ORDER BY folded_name
LIMIT :limit OFFSET :skip;

-- name: count_jobs
-- How many jobs a collection has, as counted when they were added and deleted.
SELECT job_count FROM collection WHERE id = :collection_id;

-- name: add_job
-- A new job; goes with count_added_job.
INSERT INTO job (
    collection_id, name, folded_name, state, calendar_at, next_at, occurrence, generation,
    last_execution_at, execution_count, failure_count, faulted_count, definition
)
VALUES (
    :collection_id, :name, :folded_name, :state, :calendar_at, :next_at, :occurrence, :generation,
    :last_execution_at, :execution_count, :failure_count, :faulted_count, :definition
)
RETURNING id;

-- name: count_added_job
-- One job more in a collection.
UPDATE collection SET job_count = job_count + 1 WHERE id = :collection_id;

-- name: save_job
-- What can change about a job. A definition is sealed for its name, which therefore must be right.
UPDATE job
SET state = :state, calendar_at = :calendar_at, next_at = :next_at, occurrence = :occurrence,
    generation = :generation, last_execution_at = :last_execution_at,
    execution_count = :execution_count, failure_count = :failure_count,
    faulted_count = :faulted_count, definition = :definition
WHERE id = :id AND collection_id = :collection_id AND folded_name = :folded_name;

-- name: count_deleted_job
-- One job fewer in its collection; comes before delete_job.
UPDATE collection SET job_count = job_count - 1
WHERE id = (SELECT collection_id FROM job WHERE id = :id);

-- name: delete_job
-- A job, and by cascade its runs and its history.
DELETE FROM job WHERE id = :id;

-- name: add_run
-- A run that nobody has claimed.
INSERT INTO run (
    job_id, generation, occurrence, expected_at, phase, attempt, due_at, tag, is_manual
)
VALUES (
    :job_id, :generation, :occurrence, :expected_at, :phase, :attempt, :due_at, :tag, :is_manual
)
RETURNING id;

-- name: history
-- A page of the history of a job, the newest first.
SELECT
    number, job_id, started_at, ended_at, expected_at, status, message, retry_count, repeat_count,
    is_error_action
FROM history
WHERE job_id = :job_id AND (started_at, number) < (:before_start, :before_number)
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
ORDER BY started_at DESC, number DESC
LIMIT :limit OFFSET :skip;

-- name: add_history
-- One attempt.
INSERT INTO history (
    job_id, started_at, ended_at, expected_at, status, message, retry_count, repeat_count,
    is_error_action
)
VALUES (
    :job_id, :started_at, :ended_at, :expected_at, :status, :message, :retry_count, :repeat_count,
    :is_error_action
)
RETURNING number;

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
)
RETURNING id;

-- name: delete_token
-- A token that is good no longer.
DELETE FROM token WHERE id = :id;

-- name: touch_token
-- When a token was last used.
UPDATE token SET last_used_at = :at WHERE id = :id;

-- name: seal_check
-- The value by which the key of a database is recognised.
SELECT sealed FROM seal_check;

-- name: save_seal_check
-- The same value under the newest key.
INSERT INTO seal_check (id, sealed) VALUES (1, :sealed)
ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed;

-- name: older_seals
-- Definitions that were not sealed with the newest key, some at a time.
SELECT id, collection_id, folded_name, definition
FROM job
WHERE id > :after AND substr(definition, 1, :size) <> :header
ORDER BY id
LIMIT :limit;

-- name: replace_seal
-- The same definition under the newest key.
UPDATE job SET definition = :definition WHERE id = :id;
