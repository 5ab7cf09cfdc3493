-- Incidents: what alerts tell about jobs, from the event to its end; one is open at a time for an
-- alert, a job and an event. `facts` are JSON. `telling`: whether it is told, held back because its
-- job flaps, or part of a summary. No reference to the alert: an alert that is deleted must not make
-- the end of a run fail that is stored at the same time.
CREATE TABLE incident (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    alert_id    INTEGER NOT NULL,
    job_id      INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    event       TEXT NOT NULL,
    opened_at   INTEGER NOT NULL,
    facts       TEXT NOT NULL,
    telling     TEXT NOT NULL,
    closed_at   INTEGER,
    is_resolved INTEGER
) STRICT;
CREATE UNIQUE INDEX incident_open ON incident (alert_id, job_id, event) WHERE closed_at IS NULL;
CREATE INDEX incident_recent ON incident (alert_id, job_id, opened_at);
CREATE INDEX incident_job ON incident (job_id);
CREATE INDEX incident_walk ON incident (id) WHERE closed_at IS NULL;
CREATE INDEX incident_held ON incident (opened_at) WHERE telling = 'held';
CREATE INDEX incident_closed ON incident (closed_at) WHERE closed_at IS NOT NULL;

-- Notifications: messages about incidents, each to one destination of its alert. The id is the same at
-- every try. A notification that waits may be leased to a node, which sends it.
CREATE TABLE notification (
    id          TEXT PRIMARY KEY,
    incident_id INTEGER NOT NULL REFERENCES incident (id) ON DELETE CASCADE,
    alert_id    INTEGER NOT NULL,
    number      INTEGER NOT NULL,
    destination INTEGER NOT NULL,
    message     TEXT NOT NULL,
    due_at      INTEGER NOT NULL,
    give_up_at  INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,
    state       TEXT NOT NULL,
    claim       TEXT,
    lease_until INTEGER,
    tried_at    INTEGER,
    error       TEXT
) STRICT;
CREATE INDEX notification_due ON notification (due_at) WHERE state = 'waiting';
CREATE INDEX notification_claim ON notification (claim) WHERE claim IS NOT NULL;
CREATE INDEX notification_incident ON notification (incident_id, destination, number);
CREATE INDEX notification_alert ON notification (alert_id, tried_at);

-- Which collections are watched.
CREATE INDEX alert_watching ON alert (collection_id) WHERE is_enabled = 1;

-- Work that one node at a time does for all, and who does it until when.
CREATE TABLE duty (
    name        TEXT PRIMARY KEY,
    node        TEXT NOT NULL,
    lease_until INTEGER NOT NULL
) STRICT;
