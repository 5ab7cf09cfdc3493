-- Calendars of collections: named sets of days off. Dates are JSON: pairs of a first and a last day.
CREATE TABLE calendar (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    collection_id INTEGER NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
    name          TEXT NOT NULL,
    folded_name   TEXT NOT NULL,
    dates         TEXT NOT NULL,
    changed_at    INTEGER NOT NULL,
    changed_by    TEXT
) STRICT;
CREATE UNIQUE INDEX calendar_key ON calendar (collection_id, folded_name);

-- Which jobs use a calendar: their definitions, which are sealed, name it. Use ends with the
-- definition, so when the job is deleted; a calendar that is used cannot be deleted.
CREATE TABLE calendar_use (
    calendar_id INTEGER NOT NULL REFERENCES calendar (id),
    job_id      INTEGER NOT NULL REFERENCES definition (job_id) ON DELETE CASCADE,
    PRIMARY KEY (calendar_id, job_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX calendar_use_job ON calendar_use (job_id);
