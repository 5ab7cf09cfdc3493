-- Runs are recorded: an attempt names its run, and the last one at a run's action tells how the run
-- ended. Nodes of an older version write none of these columns.
ALTER TABLE run ADD COLUMN trigger TEXT;

ALTER TABLE history ADD COLUMN run_id INTEGER;
ALTER TABLE history ADD COLUMN trigger TEXT;
ALTER TABLE history ADD COLUMN tag TEXT;
ALTER TABLE history ADD COLUMN outcome TEXT;
ALTER TABLE history ADD COLUMN reason TEXT;
ALTER TABLE history ADD COLUMN host TEXT;
ALTER TABLE history ADD COLUMN status_code INTEGER;
ALTER TABLE history ADD COLUMN last_expected_at INTEGER;
ALTER TABLE history ADD COLUMN skipped_count INTEGER;

-- Runs that did not simply succeed. A run that did costs nothing here.
CREATE INDEX history_notable ON history (number, outcome, reason, host)
    WHERE outcome <> 'succeeded';

-- Entries from before this version, and those of older nodes: each start of a server gives them the
-- outcomes of their runs, and takes them out of here.
CREATE INDEX history_unrecorded ON history (number) WHERE run_id IS NULL AND outcome IS NULL;
-- Retries are few; they tell whether an attempt that failed was the last of its run.
CREATE INDEX history_retried ON history (job_id, expected_at)
    WHERE retry_count > 0 AND is_error_action = 0;
