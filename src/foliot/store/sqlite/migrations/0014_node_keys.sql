-- The names of the secret keys that a node has loaded, with commas between them, the one that it
-- encrypts with first; empty for a node of an older version. A name is a hash, and no secret.
ALTER TABLE node ADD COLUMN keys TEXT NOT NULL DEFAULT '';
