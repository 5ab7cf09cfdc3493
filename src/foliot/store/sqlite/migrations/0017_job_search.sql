-- What all jobs are searched by, in clear: name, host, type, tags, schedule; nothing that may be a
-- secret. A row goes with the definition. `host` is null until the definition has been read: a
-- background task does that for jobs of earlier versions.
CREATE TABLE job_search (
    job_id        INTEGER NOT NULL UNIQUE REFERENCES definition (job_id) ON DELETE CASCADE,
    collection_id INTEGER NOT NULL,
    folded_name   TEXT NOT NULL,
    host          TEXT,
    words         TEXT NOT NULL,
    PRIMARY KEY (folded_name, job_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_search_host ON job_search (host, collection_id);

INSERT INTO job_search (job_id, collection_id, folded_name, words)
SELECT job.id, collection_id, folded_name, folded_name
FROM job JOIN definition ON definition.job_id = job.id;
