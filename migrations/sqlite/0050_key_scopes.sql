-- Keys limited to scopes, a project or a build, the last MCP call of each, and texts that MCP
-- clients store for a project.
ALTER TABLE forge_keys ADD COLUMN scopes TEXT;
UPDATE forge_keys SET scopes = 'read' WHERE read_only;
ALTER TABLE forge_keys DROP COLUMN read_only;
ALTER TABLE forge_keys ADD COLUMN project_id TEXT REFERENCES projects (id) ON DELETE CASCADE;
ALTER TABLE forge_keys ADD COLUMN build_id TEXT REFERENCES builds (id) ON DELETE CASCADE;
ALTER TABLE forge_keys ADD COLUMN last_call TEXT;
ALTER TABLE forge_keys ADD COLUMN last_call_at INTEGER;

CREATE TABLE project_artifacts (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    key        TEXT NOT NULL,
    content    TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, key)
) STRICT;
CREATE INDEX project_artifacts_by_expiry ON project_artifacts (expires_at);
