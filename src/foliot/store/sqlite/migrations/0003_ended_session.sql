-- Sessions of the portal that somebody signed out of, until they would have ended by themselves.
CREATE TABLE ended_session (
    digest   BLOB PRIMARY KEY,
    until_at INTEGER NOT NULL
) STRICT;
CREATE INDEX ended_session_until ON ended_session (until_at);
