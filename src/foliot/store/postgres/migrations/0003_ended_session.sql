-- Sessions of the portal that somebody signed out of, until they would have ended by themselves.
CREATE TABLE ended_session (
    digest   bytea PRIMARY KEY,
    until_at bigint NOT NULL
);
CREATE INDEX ended_session_until ON ended_session (until_at);
