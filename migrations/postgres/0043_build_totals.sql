-- What a build has used, its limits and its running agents, for lists of builds. Null for builds that
-- ended under an earlier version.
ALTER TABLE builds ADD COLUMN working_ms BIGINT;
ALTER TABLE builds ADD COLUMN tokens BIGINT;
ALTER TABLE builds ADD COLUMN usd_micros BIGINT;
ALTER TABLE builds ADD COLUMN budget_tokens BIGINT;
ALTER TABLE builds ADD COLUMN budget_usd_micros BIGINT;
ALTER TABLE builds ADD COLUMN running_agents BIGINT;
