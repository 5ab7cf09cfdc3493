-- Resource groups that somebody created. A group that only has collections needs no row.
CREATE TABLE resource_group (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    subscription        TEXT NOT NULL,
    name                TEXT NOT NULL,
    folded_subscription TEXT NOT NULL,
    folded_name         TEXT NOT NULL,
    location            TEXT,
    tags                TEXT
) STRICT;
CREATE UNIQUE INDEX resource_group_key ON resource_group (folded_subscription, folded_name);
