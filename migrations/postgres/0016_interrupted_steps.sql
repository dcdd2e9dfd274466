-- The step that a worker performs, and how many workers ended during it: a step that
-- crashes the process is not repeated indefinitely.
ALTER TABLE work_items ADD COLUMN step TEXT;
ALTER TABLE work_items ADD COLUMN interrupted_step TEXT;
ALTER TABLE work_items ADD COLUMN interruptions BIGINT NOT NULL DEFAULT 0;
