-- When jobs are due. On PostgreSQL this is a table; here it is what the index of job says.
CREATE VIEW due AS
SELECT next_at, id AS job_id, collection_id FROM job
WHERE next_at IS NOT NULL AND state = 'enabled' AND is_halted = 0;
