-- Indexes for the filters of the audit log by job, by resource group and by kind alone: without them
-- each of these reads the whole log.
CREATE INDEX audit_name ON audit (folded_name, at, id);
CREATE INDEX audit_group ON audit (folded_group, at, id);
CREATE INDEX audit_kind ON audit (kind, at, id);
