-- An unfinished build has a slot of its project to itself; the project's settings say how many it has.
ALTER TABLE builds ADD COLUMN slot INTEGER NOT NULL DEFAULT 0 CHECK (slot BETWEEN 0 AND 9);
DROP INDEX builds_one_unfinished;
CREATE UNIQUE INDEX builds_by_slot ON builds (project_id, slot)
    WHERE status <> 'sealed' AND status <> 'abandoned';
