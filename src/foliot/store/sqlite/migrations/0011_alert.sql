-- Alerts of collections: which events of their jobs are told, and to whom. What a client gave is sealed
-- as the definitions of jobs are: destinations have secrets.
CREATE TABLE alert (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    collection_id INTEGER NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
    name          TEXT NOT NULL,
    folded_name   TEXT NOT NULL,
    is_enabled    INTEGER NOT NULL,
    changed_at    INTEGER NOT NULL,
    changed_by    TEXT,
    sealed        BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX alert_key ON alert (collection_id, folded_name);
