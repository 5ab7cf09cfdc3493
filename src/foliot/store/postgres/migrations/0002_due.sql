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

-- Whoever changes jobs changes this with it: what was due before and is not afterwards goes, and what
-- was not before and is afterwards comes. OFFSET leaves the planner no choice but the key, however
-- few rows it believes there are. What was found stays where it is until it is deleted, since its job
-- is locked.
CREATE FUNCTION keep_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM due WHERE ctid = ANY (ARRAY (
            SELECT place
            FROM (
                SELECT next_at, id FROM old_jobs
                WHERE next_at IS NOT NULL AND state = 'enabled' AND is_halted = 0
                EXCEPT
                SELECT next_at, id FROM new_jobs
                WHERE next_at IS NOT NULL AND state = 'enabled' AND is_halted = 0
            ) AS gone
                CROSS JOIN LATERAL (
                    SELECT ctid AS place FROM due
                    WHERE due.next_at = gone.next_at AND job_id = gone.id
                    OFFSET 0
                ) AS found
        ));
        INSERT INTO due (next_at, job_id, collection_id)
        SELECT next_at, id, collection_id FROM new_jobs
        WHERE next_at IS NOT NULL AND state = 'enabled' AND is_halted = 0
        EXCEPT
        SELECT next_at, id, collection_id FROM old_jobs
        WHERE next_at IS NOT NULL AND state = 'enabled' AND is_halted = 0
        ORDER BY next_at, id;
    ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO due (next_at, job_id, collection_id)
        SELECT next_at, id, collection_id FROM new_jobs
        WHERE next_at IS NOT NULL AND state = 'enabled' AND is_halted = 0
        ORDER BY next_at, id;
    ELSE
        DELETE FROM due WHERE ctid = ANY (ARRAY (
            SELECT place
            FROM old_jobs AS gone
                CROSS JOIN LATERAL (
                    SELECT ctid AS place FROM due
                    WHERE due.next_at = gone.next_at AND job_id = gone.id
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
