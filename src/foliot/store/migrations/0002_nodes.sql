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
