-- Builds that carry out what was requested of a sealed one: at most one that counts for each.
ALTER TABLE builds ADD COLUMN follows UUID REFERENCES builds (id);
CREATE UNIQUE INDEX builds_one_follow_up ON builds (follows) WHERE status <> 'abandoned';
