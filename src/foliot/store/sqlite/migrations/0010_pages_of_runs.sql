-- Attempts that did not end their run: those before its last one, and those of its error action. A
-- run that succeeds at once has none, and costs nothing here. The last column is for entries from
-- before runs were recorded, whose run has the number 0.
CREATE INDEX history_of_run ON history (job_id, run_id, expected_at)
    WHERE outcome IS NULL AND run_id IS NOT NULL;
-- Runs of a job that did not simply succeed: those of a collection are found job by job. The index
-- has all that runs are filtered by, so that only the entries of a page are read.
CREATE INDEX history_notable_of_job
    ON history (job_id, number, outcome, reason, host, trigger, ended_at)
    WHERE outcome <> 'succeeded';
