-- Failures are counted from these two indexes alone. They had neither the planned time, by which a
-- rerun is found, nor the status code.
DROP INDEX history_notable;
CREATE INDEX history_notable
    ON history (
        number, outcome, reason, host, trigger, ended_at, job_id, expected_at, status_code
    )
    WHERE outcome <> 'succeeded';
DROP INDEX history_notable_of_job;
CREATE INDEX history_notable_of_job
    ON history (
        job_id, number, outcome, reason, host, trigger, ended_at, expected_at, status_code
    )
    WHERE outcome <> 'succeeded';

-- Runs that somebody asked for, by planned time: a failed run with a later one has been rerun. A run
-- of the calendar costs nothing here.
CREATE INDEX history_asked_for ON history (job_id, expected_at, number, outcome)
    WHERE trigger IN ('manual', 'redrive', 'backfill');
