-- Keys limited to scopes, a project or a build, the last MCP call of each, and texts that MCP
-- clients store for a project.
ALTER TABLE forge_keys ADD COLUMN scopes TEXT;
UPDATE forge_keys SET scopes = 'read' WHERE read_only;
ALTER TABLE forge_keys DROP COLUMN read_only;
ALTER TABLE forge_keys ADD COLUMN project_id UUID REFERENCES projects (id) ON DELETE CASCADE;
ALTER TABLE forge_keys ADD COLUMN build_id UUID REFERENCES builds (id) ON DELETE CASCADE;
ALTER TABLE forge_keys ADD COLUMN last_call TEXT;
ALTER TABLE forge_keys ADD COLUMN last_call_at TIMESTAMPTZ;

CREATE TABLE project_artifacts (
    project_id UUID NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    key        TEXT NOT NULL,
    content    TEXT NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (project_id, key)
);
CREATE INDEX project_artifacts_by_expiry ON project_artifacts (expires_at);
