-- A phase may be left out of a build.
ALTER TABLE build_phases RENAME COLUMN status TO old_status;
ALTER TABLE build_phases ADD COLUMN status TEXT NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'running', 'complete', 'skipped'));
UPDATE build_phases SET status = old_status;
ALTER TABLE build_phases DROP COLUMN old_status;
