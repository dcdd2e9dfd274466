-- What is said about what should be built, and how far the model is with its answer.
CREATE TABLE interview_messages (
    project_id UUID NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    position   BIGINT NOT NULL,
    author     TEXT NOT NULL CHECK (author IN ('person', 'model')),
    text       TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (project_id, position)
);

CREATE TABLE interview_runs (
    generation_id   UUID PRIMARY KEY REFERENCES generations (id) ON DELETE CASCADE,
    turn            BIGINT NOT NULL DEFAULT 0,
    version         BIGINT,
    tokens_in       BIGINT NOT NULL DEFAULT 0,
    tokens_out      BIGINT NOT NULL DEFAULT 0,
    cache_read      BIGINT NOT NULL DEFAULT 0,
    cache_write     BIGINT NOT NULL DEFAULT 0,
    cost_usd_micros BIGINT,
    conversation    TEXT
);
