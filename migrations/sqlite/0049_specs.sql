-- Specs that projects are built from. Versions are never changed.
CREATE TABLE specs (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    version    INTEGER NOT NULL,
    content    TEXT NOT NULL,
    author_id  TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, version)
) STRICT;
