-- When a collection and a job were created and last changed, and the name of the caller who changed
-- them: null in rows from before. Those of a job are beside its definition, which runs do not write.
ALTER TABLE collection ADD COLUMN created_at bigint;
ALTER TABLE collection ADD COLUMN changed_at bigint;
ALTER TABLE collection ADD COLUMN changed_by text;
ALTER TABLE definition ADD COLUMN created_at bigint;
ALTER TABLE definition ADD COLUMN changed_at bigint;
ALTER TABLE definition ADD COLUMN changed_by text;
