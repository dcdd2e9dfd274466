-- Projects, what people note beside them, and their contracts.
CREATE TABLE projects (
    id             TEXT PRIMARY KEY,
    owner_id       TEXT NOT NULL REFERENCES users (id),
    name           TEXT NOT NULL,
    description    TEXT NOT NULL,
    origin         TEXT NOT NULL CHECK (origin IN ('questionnaire', 'repository', 'spec', 'demo')),
    default_branch TEXT NOT NULL,
    settings       TEXT NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    deleted_at     INTEGER
) STRICT;
CREATE INDEX projects_by_owner ON projects (owner_id, id);

CREATE TABLE project_notes (
    id         TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    content    TEXT NOT NULL,
    version    INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, user_id)
) STRICT;

CREATE TABLE contracts (
    id         TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    type       TEXT NOT NULL,
    version    INTEGER NOT NULL,
    format     TEXT NOT NULL CHECK (format IN ('markdown', 'yaml', 'json')),
    content    TEXT NOT NULL,
    source     TEXT NOT NULL,
    author_id  TEXT REFERENCES users (id),
    created_at INTEGER NOT NULL,
    UNIQUE (project_id, type, version)
) STRICT;

CREATE TABLE contract_snapshots (
    id          TEXT NOT NULL,
    project_id  TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    contract_id TEXT NOT NULL REFERENCES contracts (id),
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (id, contract_id)
) STRICT;
