-- Each occurrence writes a job twice, and no index holds what it writes. New pages keep room for two
-- more versions of their rows: one without room beside it goes to another page, and then all indexes
-- of the job are written. Pages that exist get room as their rows move.
ALTER TABLE job SET (fillfactor = 40);
