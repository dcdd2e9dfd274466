-- What people answered about what should be built.
CREATE TABLE questionnaires (
    project_id UUID PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    size       TEXT NOT NULL CHECK (size IN ('full', 'mini')),
    answers    TEXT NOT NULL,
    version    BIGINT NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);
