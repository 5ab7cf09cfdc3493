-- When jobs are due, in a table of its own: an index on a column that every occurrence changes would
-- have all indexes of a job written with it, on as many pages as there are jobs. Here what is due
-- together lies together, and a job's own row changes without any index.

-- Nodes that run already wait, so that no change of theirs is missed.
LOCK TABLE job IN ACCESS EXCLUSIVE MODE;

CREATE TABLE due (
    next_at       bigint NOT NULL,
    job_id        bigint NOT NULL,
    collection_id bigint NOT NULL,
    PRIMARY KEY (next_at, job_id)
) WITH (
    autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 5000,
    autovacuum_analyze_scale_factor = 0.05,
    autovacuum_vacuum_cost_delay = 0
);

INSERT INTO due (next_at, job_id, collection_id)
SELECT next_at, id, collection_id FROM job
WHERE next_at IS NOT NULL AND state = 'enabled' AND is_halted = 0
ORDER BY next_at, id;

DROP INDEX job_due;

-- Whoever changes jobs changes this with it. What has changed is found by hashing, which sessions of
-- ours have off. What is due no longer is found by its key, however few rows the planner believes
-- there are: OFFSET leaves it no choice. Between that and its deletion it stays where it is, since its
-- job is locked.
CREATE FUNCTION keep_due() RETURNS trigger LANGUAGE plpgsql SET enable_hashjoin = on AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO due (next_at, job_id, collection_id)
        SELECT next_at, id, collection_id FROM new_jobs
        WHERE next_at IS NOT NULL AND state = 'enabled' AND is_halted = 0;
    ELSIF TG_OP = 'UPDATE' THEN
        WITH moved AS (
            SELECT after.*, before.next_at AS left_at
            FROM old_jobs AS before JOIN new_jobs AS after ON after.id = before.id
            WHERE before.next_at IS DISTINCT FROM after.next_at
               OR before.state <> after.state OR before.is_halted <> after.is_halted
        ), gone AS (
            DELETE FROM due WHERE ctid = ANY (ARRAY (
                SELECT place FROM moved CROSS JOIN LATERAL (
                    SELECT ctid AS place FROM due
                    WHERE due.next_at = moved.left_at AND due.job_id = moved.id
                    OFFSET 0
                ) AS found
            ))
        )
        INSERT INTO due (next_at, job_id, collection_id)
        SELECT next_at, id, collection_id FROM moved
        WHERE next_at IS NOT NULL AND state = 'enabled' AND is_halted = 0;
    ELSE
        DELETE FROM due WHERE ctid = ANY (ARRAY (
            SELECT place FROM old_jobs CROSS JOIN LATERAL (
                SELECT ctid AS place FROM due
                WHERE due.next_at = old_jobs.next_at AND due.job_id = old_jobs.id
                OFFSET 0
            ) AS found
        ));
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER due_of_new AFTER INSERT ON job
    REFERENCING NEW TABLE AS new_jobs FOR EACH STATEMENT EXECUTE FUNCTION keep_due();
CREATE TRIGGER due_of_changed AFTER UPDATE ON job
    REFERENCING OLD TABLE AS old_jobs NEW TABLE AS new_jobs
    FOR EACH STATEMENT EXECUTE FUNCTION keep_due();
CREATE TRIGGER due_of_deleted AFTER DELETE ON job
    REFERENCING OLD TABLE AS old_jobs FOR EACH STATEMENT EXECUTE FUNCTION keep_due();
