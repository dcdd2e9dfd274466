-- Specs that projects are built from. Versions are never changed.
CREATE TABLE specs (
    project_id UUID NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    version    BIGINT NOT NULL,
    content    TEXT NOT NULL,
    author_id  UUID NOT NULL REFERENCES users (id),
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (project_id, version)
);
