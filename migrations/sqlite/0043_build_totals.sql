-- What a build has used, its limits and its running agents, for lists of builds. Null for builds that
-- ended under an earlier version.
ALTER TABLE builds ADD COLUMN working_ms INTEGER;
ALTER TABLE builds ADD COLUMN tokens INTEGER;
ALTER TABLE builds ADD COLUMN usd_micros INTEGER;
ALTER TABLE builds ADD COLUMN budget_tokens INTEGER;
ALTER TABLE builds ADD COLUMN budget_usd_micros INTEGER;
ALTER TABLE builds ADD COLUMN running_agents INTEGER;
