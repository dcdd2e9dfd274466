-- Builds are numbered within their project, in the order of their creation.
ALTER TABLE builds ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE builds SET number = (SELECT COUNT(*) FROM builds AS earlier
    WHERE earlier.project_id = builds.project_id AND earlier.id <= builds.id);
CREATE UNIQUE INDEX builds_by_number ON builds (project_id, number);
CREATE INDEX builds_by_branch ON builds (project_id, branch);
-- The number of the newest build.
ALTER TABLE projects ADD COLUMN build_count INTEGER NOT NULL DEFAULT 0;
UPDATE projects SET build_count =
    (SELECT COUNT(*) FROM builds WHERE builds.project_id = projects.id);

-- Projects have a name in URLs. The service sets it for existing projects when it starts.
ALTER TABLE projects ADD COLUMN slug TEXT;
CREATE UNIQUE INDEX projects_by_slug ON projects (slug);
-- A project keeps its earlier slugs, so that old links work.
CREATE TABLE project_slugs (
    slug       TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE
) STRICT;
CREATE INDEX project_slugs_by_project ON project_slugs (project_id);

-- Archived projects are read-only.
ALTER TABLE projects ADD COLUMN archived_at INTEGER;
