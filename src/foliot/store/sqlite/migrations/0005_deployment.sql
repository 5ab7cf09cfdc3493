-- Records of template deployments. What a record says is sealed, as definitions are.
CREATE TABLE deployment (
    id                  INTEGER PRIMARY KEY AUTOINCREMENT,
    folded_subscription TEXT NOT NULL,
    folded_group        TEXT NOT NULL,
    folded_name         TEXT NOT NULL,
    deployed_at         INTEGER NOT NULL,
    sealed              BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX deployment_key
    ON deployment (folded_subscription, folded_group, folded_name);
CREATE INDEX deployment_age ON deployment (folded_subscription, folded_group, deployed_at);
