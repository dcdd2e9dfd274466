-- What people answered about what should be built.
CREATE TABLE questionnaires (
    project_id TEXT PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    size       TEXT NOT NULL CHECK (size IN ('full', 'mini')),
    answers    TEXT NOT NULL,
    version    INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
