-- The audit log: who changed what, when and from where. `sealed` has how it was before and after,
-- without secrets; the folded columns are for lookups. No row refers to what was changed: an entry
-- outlives its job.
CREATE TABLE audit (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    at                  INTEGER NOT NULL,
    who                 TEXT NOT NULL,
    token_id            INTEGER,
    role                TEXT,
    address             TEXT,
    request_id          TEXT,
    action              TEXT NOT NULL,
    kind                TEXT NOT NULL,
    subscription        TEXT,
    resource_group      TEXT,
    collection          TEXT,
    name                TEXT,
    sealed              BLOB NOT NULL,
    folded_who          TEXT NOT NULL,
    folded_subscription TEXT,
    folded_group        TEXT,
    folded_collection   TEXT,
    folded_name         TEXT
) STRICT;
CREATE INDEX audit_time ON audit (at, id);
CREATE INDEX audit_action ON audit (action, at, id);
CREATE INDEX audit_author ON audit (folded_who, at, id);
CREATE INDEX audit_subject ON audit (folded_collection, folded_name, at, id);
CREATE INDEX audit_subscription ON audit (folded_subscription, at, id);
CREATE INDEX audit_collection ON audit (folded_collection, at, id);
