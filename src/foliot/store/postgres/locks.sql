-- The locks of a transaction, since other nodes write at the same time. Their order is: the groups of
-- a subscription before its collections, a collection before its jobs, a job before its runs. Where more than one table is read, the rows are locked
-- first and read afterwards: a single statement would see some rows as they were before it waited
-- for the lock. All locks are held until the transaction ends.

-- name: resource_groups
-- Lock the groups of a subscription, so that nobody else changes one. Most have no row, so that the
-- name of the subscription is locked.
SELECT pg_advisory_xact_lock(hashtextextended(?, 7));

-- name: collections_of_group
-- Lock all collections of a group, in the order in which a deployment locks them.
SELECT id FROM collection
WHERE folded_subscription = ? AND folded_group = ?
ORDER BY folded_name
FOR NO KEY UPDATE;

-- name: jobs_of_group
-- Lock all jobs of a group's collections. Collection by collection they would be locked in another
-- order than by a node that settles their runs.
SELECT job.id FROM job JOIN collection ON collection.id = collection_id
WHERE folded_subscription = ? AND folded_group = ?
ORDER BY job.id
FOR NO KEY UPDATE OF job;

-- name: collection
-- Lock a collection by its key, so that nobody else changes it.
SELECT id FROM collection
WHERE folded_subscription = ? AND folded_group = ? AND folded_name = ?
FOR NO KEY UPDATE;

-- name: collection_by_id
-- Lock a collection whose jobs are counted, so that nobody else adds one.
SELECT id FROM collection WHERE id = ? FOR NO KEY UPDATE;

-- name: subscription
-- Lock a subscription whose collections are counted. It has no row, so that its name is locked.
SELECT pg_advisory_xact_lock(hashtextextended(?, 6));

-- name: job
-- Lock a job by its name.
SELECT job.id FROM job JOIN collection ON collection.id = collection_id
WHERE folded_subscription = ? AND folded_group = ? AND collection.folded_name = ?
  AND job.folded_name = ?
FOR NO KEY UPDATE OF job;

-- name: jobs
-- Lock all jobs of a collection.
SELECT id FROM job WHERE collection_id = ? ORDER BY id FOR NO KEY UPDATE;

-- name: jobs_by_id
-- Lock jobs, and with them everything that happens to their runs.
SELECT id FROM job WHERE id = ANY (?::bigint[]) ORDER BY id FOR NO KEY UPDATE;

-- name: tokens
-- Lock all tokens, since a caller that reads them all decides by them whether to add one.
LOCK TABLE token IN SHARE ROW EXCLUSIVE MODE;

-- name: due_jobs
-- Lock due jobs that nobody else has locked, the earliest first, and return when they were due.
SELECT job.id, due.next_at
FROM (
    SELECT * FROM due
    WHERE next_at BETWEEN :start AND :end
      AND (:excluded::bigint[] IS NULL OR collection_id <> ALL (:excluded::bigint[]))
    ORDER BY next_at, job_id
    OFFSET 0
) AS due
    JOIN job ON job.id = due.job_id
WHERE job.next_at = due.next_at AND state = 'enabled' AND is_halted = 0
ORDER BY due.next_at, due.job_id
LIMIT :limit
FOR NO KEY UPDATE OF job SKIP LOCKED;

-- name: due_runs
-- Lock the jobs, unless somebody else has locked them, of runs that are due and wait or whose lease
-- has run out. The runs are still to be read: somebody may have changed them before their job was
-- locked. If there are more than the limit, it is not known up to when all were found. OFFSET is
-- explained in queries.sql.
SELECT id, NULL::bigint FROM (
    SELECT * FROM (
        SELECT run.id, due_at
        FROM (
            SELECT * FROM run
            WHERE lease_until IS NULL AND due_at BETWEEN :start AND :end
            ORDER BY due_at, id
            OFFSET 0
        ) AS run
            JOIN job ON job.id = run.job_id
        WHERE is_halted = 0 AND (state <> 'disabled' OR is_manual = 1)
          AND (:excluded::bigint[] IS NULL OR collection_id <> ALL (:excluded::bigint[]))
        ORDER BY due_at, run.id
        LIMIT :limit
        FOR NO KEY UPDATE OF job SKIP LOCKED
    ) AS waiting
    UNION ALL
    SELECT * FROM (
        SELECT run.id, due_at
        FROM (SELECT * FROM run WHERE lease_until BETWEEN :start AND :end OFFSET 0) AS run
            JOIN job ON job.id = run.job_id
        WHERE is_halted = 0 AND (state <> 'disabled' OR is_manual = 1)
          AND (:excluded::bigint[] IS NULL OR collection_id <> ALL (:excluded::bigint[]))
        ORDER BY due_at, run.id
        LIMIT :limit
        FOR NO KEY UPDATE OF job SKIP LOCKED
    ) AS lost
) AS due
ORDER BY due_at, id
LIMIT :limit;
