-- The newest report of the worker that holds the build.
ALTER TABLE work_items ADD COLUMN heartbeat_at TIMESTAMPTZ;
ALTER TABLE work_items ADD COLUMN current_step TEXT;
ALTER TABLE work_items ADD COLUMN progress_percent BIGINT;
ALTER TABLE work_items ADD COLUMN memory_bytes BIGINT;
-- Of one CPU.
ALTER TABLE work_items ADD COLUMN cpu_percent BIGINT;
