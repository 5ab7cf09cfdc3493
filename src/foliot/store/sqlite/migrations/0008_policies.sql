-- Policies: a job knows its latest planned time and how its last runs ended.
ALTER TABLE job ADD COLUMN planned_at INTEGER;
ALTER TABLE job ADD COLUMN last_outcome TEXT;
ALTER TABLE job ADD COLUMN consecutive_failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE job ADD COLUMN paused_because TEXT;

-- A run that waits its turn has no due time. SQLite cannot drop a constraint, so the table is made
-- anew; ids of deleted runs are still not given again, since history names them.
CREATE TABLE new_run (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id      INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    generation  INTEGER NOT NULL,
    occurrence  INTEGER NOT NULL,
    expected_at INTEGER NOT NULL,
    phase       TEXT NOT NULL,
    attempt     INTEGER NOT NULL,
    due_at      INTEGER,
    tag         TEXT NOT NULL,
    is_manual   INTEGER NOT NULL,
    node        TEXT,
    claim       TEXT,
    lease_until INTEGER,
    trigger     TEXT
) STRICT;
INSERT INTO new_run (
    id, job_id, generation, occurrence, expected_at, phase, attempt, due_at, tag, is_manual, node,
    claim, lease_until, trigger
)
SELECT
    id, job_id, generation, occurrence, expected_at, phase, attempt, due_at, tag, is_manual, node,
    claim, lease_until, trigger
FROM run;
DELETE FROM sqlite_sequence WHERE name = 'new_run';
INSERT INTO sqlite_sequence (name, seq) SELECT 'new_run', seq FROM sqlite_sequence WHERE name = 'run';
DROP TABLE run;
ALTER TABLE new_run RENAME TO run;
CREATE UNIQUE INDEX run_planned ON run (job_id, expected_at, nullif(is_manual, 1));
CREATE INDEX run_waiting ON run (due_at) WHERE lease_until IS NULL;
CREATE INDEX run_held ON run (lease_until) WHERE lease_until IS NOT NULL;

-- When a job was enabled or disabled, its collection as well, and when it got another calendar; a
-- row has the calendar before the change. `from_at` is the first planned time that it concerns.
CREATE TABLE schedule_change (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id   INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    at       INTEGER NOT NULL,
    from_at  INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    calendar TEXT
) STRICT;
CREATE INDEX schedule_change_job ON schedule_change (job_id, id);
CREATE INDEX schedule_change_at ON schedule_change (at);
