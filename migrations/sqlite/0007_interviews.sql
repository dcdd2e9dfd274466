-- What is said about what should be built, and how far the model is with its answer.
CREATE TABLE interview_messages (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    position   INTEGER NOT NULL,
    author     TEXT NOT NULL CHECK (author IN ('person', 'model')),
    text       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, position)
) STRICT;

CREATE TABLE interview_runs (
    generation_id   TEXT PRIMARY KEY REFERENCES generations (id) ON DELETE CASCADE,
    turn            INTEGER NOT NULL DEFAULT 0,
    version         INTEGER,
    tokens_in       INTEGER NOT NULL DEFAULT 0,
    tokens_out      INTEGER NOT NULL DEFAULT 0,
    cache_read      INTEGER NOT NULL DEFAULT 0,
    cache_write     INTEGER NOT NULL DEFAULT 0,
    cost_usd_micros INTEGER,
    conversation    TEXT
) STRICT;
