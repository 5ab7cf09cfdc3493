-- Failures are counted by reason and host from this index alone, so that a sample of thousands costs
-- milliseconds. It was the index `history_notable` without its last three columns.
DROP INDEX history_notable;
CREATE INDEX history_notable
    ON history (number, outcome, reason, host, trigger, ended_at, job_id)
    WHERE outcome <> 'succeeded';

-- Failures that somebody has muted for a while. An empty part of the scope is everything; an empty
-- reason or host is one that the runs do not have.
CREATE TABLE failure_mute (
    subscription   TEXT NOT NULL,
    resource_group TEXT NOT NULL,
    collection     TEXT NOT NULL,
    reason         TEXT NOT NULL,
    host           TEXT NOT NULL,
    until_at       INTEGER NOT NULL,
    muted_at       INTEGER NOT NULL,
    muted_by       TEXT NOT NULL,
    PRIMARY KEY (subscription, resource_group, collection, reason, host)
) STRICT;
