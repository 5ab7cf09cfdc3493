-- Collections, jobs, their runs and history, and tokens.
--
-- Instants are ticks of 100 ns. A folded column holds the lower-case form of the name beside it:
-- the one is matched and sorted by, the other is shown. Ids are never given twice, so that what
-- still refers to a deleted row cannot find another in its place.

CREATE TABLE collection (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    subscription        TEXT NOT NULL,
    resource_group      TEXT NOT NULL,
    name                TEXT NOT NULL,
    folded_subscription TEXT NOT NULL,
    folded_group        TEXT NOT NULL,
    folded_name         TEXT NOT NULL,
    location            TEXT,
    tags                TEXT,
    sku                 TEXT NOT NULL,
    state               TEXT NOT NULL,
    quota               TEXT,
    job_count           INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE UNIQUE INDEX collection_key
    ON collection (folded_subscription, folded_group, folded_name);
CREATE INDEX collection_sku ON collection (folded_subscription, sku);

-- A row is halted while its collection is not enabled: the index of what is due then leaves it
-- out, and the overdue jobs of a disabled collection cost the others nothing.
CREATE TABLE job (
    id                INTEGER PRIMARY KEY AUTOINCREMENT,
    collection_id     INTEGER NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
    name              TEXT NOT NULL,
    folded_name       TEXT NOT NULL,
    state             TEXT NOT NULL,
    is_halted         INTEGER NOT NULL,
    calendar_at       INTEGER NOT NULL,
    next_at           INTEGER,
    occurrence        INTEGER NOT NULL,
    generation        INTEGER NOT NULL,
    last_execution_at INTEGER,
    execution_count   INTEGER NOT NULL,
    failure_count     INTEGER NOT NULL,
    faulted_count     INTEGER NOT NULL,
    settled_at        INTEGER,
    settled_well      INTEGER NOT NULL,
    ended_at          INTEGER
) STRICT;

CREATE UNIQUE INDEX job_key ON job (collection_id, folded_name);
CREATE INDEX job_state ON job (collection_id, state, folded_name);
CREATE INDEX job_due ON job (next_at)
    WHERE next_at IS NOT NULL AND state = 'enabled' AND is_halted = 0;
CREATE INDEX job_ended ON job (ended_at) WHERE ended_at IS NOT NULL;

-- What a job does, apart from where it stands: every occurrence writes the one and not the other.
CREATE TABLE definition (
    job_id INTEGER PRIMARY KEY REFERENCES job (id) ON DELETE CASCADE,
    sealed BLOB NOT NULL
) STRICT;

-- An attempt is the number of the try that is due: the first is 1. A run is held by a node under a
-- claim until its lease runs out, or waits and has none of the three.
CREATE TABLE run (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id      INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    generation  INTEGER NOT NULL,
    occurrence  INTEGER NOT NULL,
    expected_at INTEGER NOT NULL,
    phase       TEXT NOT NULL,
    attempt     INTEGER NOT NULL,
    due_at      INTEGER NOT NULL,
    tag         TEXT NOT NULL,
    is_manual   INTEGER NOT NULL,
    node        TEXT,
    claim       TEXT,
    lease_until INTEGER
) STRICT;

-- A planned occurrence exists once; a manual run may be asked for at any time, also twice at the
-- same: it has no value in the last place, and what has none differs from everything.
CREATE UNIQUE INDEX run_planned ON run (job_id, expected_at, nullif(is_manual, 1));
CREATE INDEX run_waiting ON run (due_at) WHERE lease_until IS NULL;
CREATE INDEX run_held ON run (lease_until) WHERE lease_until IS NOT NULL;

CREATE TABLE history (
    number          INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id          INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
    started_at      INTEGER NOT NULL,
    ended_at        INTEGER NOT NULL,
    expected_at     INTEGER NOT NULL,
    status          TEXT NOT NULL,
    retry_count     INTEGER NOT NULL,
    repeat_count    INTEGER NOT NULL,
    is_error_action INTEGER NOT NULL,
    message         TEXT NOT NULL
) STRICT;

CREATE INDEX history_newest ON history (job_id, started_at, number);
-- What failed of late. Only failures are in it, so that an attempt that goes well costs nothing.
CREATE INDEX history_failed ON history (started_at) WHERE status = 'failed';

CREATE TABLE token (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    name               TEXT NOT NULL,
    digest             BLOB NOT NULL UNIQUE,
    role               TEXT NOT NULL,
    scope_subscription TEXT,
    scope_group        TEXT,
    scope_collection   TEXT,
    created_at         INTEGER NOT NULL,
    expires_at         INTEGER,
    last_used_at       INTEGER
) STRICT;

-- One known value, sealed: what does not open it is not the key of this database.
CREATE TABLE seal_check (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    sealed BLOB NOT NULL
) STRICT;

-- Who works on this database, and when each was last heard of.
CREATE TABLE node (
    id         TEXT PRIMARY KEY,
    name       TEXT NOT NULL,
    version    TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    has_api    INTEGER NOT NULL,
    has_engine INTEGER NOT NULL,
    in_flight  INTEGER NOT NULL,
    waiting    INTEGER NOT NULL
) STRICT;
