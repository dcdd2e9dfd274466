-- Projects, what people note beside them, and their contracts.
CREATE TABLE projects (
    id             UUID PRIMARY KEY,
    owner_id       UUID NOT NULL REFERENCES users (id),
    name           TEXT NOT NULL,
    description    TEXT NOT NULL,
    origin         TEXT NOT NULL CHECK (origin IN ('questionnaire', 'repository', 'spec', 'demo')),
    default_branch TEXT NOT NULL,
    settings       TEXT NOT NULL,
    created_at     TIMESTAMPTZ NOT NULL,
    updated_at     TIMESTAMPTZ NOT NULL,
    deleted_at     TIMESTAMPTZ
);
CREATE INDEX projects_by_owner ON projects (owner_id, id);

CREATE TABLE project_notes (
    id         UUID PRIMARY KEY,
    project_id UUID NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id    UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    content    TEXT NOT NULL,
    version    BIGINT NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    UNIQUE (project_id, user_id)
);

CREATE TABLE contracts (
    id         UUID PRIMARY KEY,
    project_id UUID NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    type       TEXT NOT NULL,
    version    BIGINT NOT NULL,
    format     TEXT NOT NULL CHECK (format IN ('markdown', 'yaml', 'json')),
    content    TEXT NOT NULL,
    source     TEXT NOT NULL,
    author_id  UUID REFERENCES users (id),
    created_at TIMESTAMPTZ NOT NULL,
    UNIQUE (project_id, type, version)
);

CREATE TABLE contract_snapshots (
    id          UUID NOT NULL,
    project_id  UUID NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    contract_id UUID NOT NULL REFERENCES contracts (id),
    created_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (id, contract_id)
);
