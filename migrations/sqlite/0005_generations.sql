-- What a model writes for a project: a queue of its own, and how far each contract is.
CREATE TABLE generations (
    id               TEXT PRIMARY KEY,
    project_id       TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    started_by       TEXT NOT NULL REFERENCES users (id),
    kind             TEXT NOT NULL CHECK (kind IN ('contracts', 'answers')),
    status           TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    cancel_requested INTEGER NOT NULL DEFAULT FALSE,
    model            TEXT,
    failure          TEXT,
    failures         INTEGER NOT NULL DEFAULT 0,
    owner            TEXT,
    fence            INTEGER NOT NULL DEFAULT 0,
    lease_expires_at INTEGER,
    run_after        INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    started_at       INTEGER,
    finished_at      INTEGER
) STRICT;
CREATE INDEX generations_by_project ON generations (project_id, kind, id);
CREATE UNIQUE INDEX generations_one_unfinished ON generations (project_id, kind)
    WHERE status = 'queued' OR status = 'running';
CREATE INDEX generations_due ON generations (run_after) WHERE status = 'queued' OR status = 'running';

CREATE TABLE generation_drafts (
    generation_id   TEXT NOT NULL REFERENCES generations (id) ON DELETE CASCADE,
    position        INTEGER NOT NULL,
    type            TEXT NOT NULL,
    status          TEXT NOT NULL CHECK (status IN ('waiting', 'writing', 'written', 'failed')),
    attempt         INTEGER NOT NULL DEFAULT 1,
    turn            INTEGER NOT NULL DEFAULT 0,
    tool            TEXT,
    refusals        INTEGER NOT NULL DEFAULT 0,
    refusal         TEXT,
    version         INTEGER,
    source          TEXT,
    tokens_in       INTEGER NOT NULL DEFAULT 0,
    tokens_out      INTEGER NOT NULL DEFAULT 0,
    cache_read      INTEGER NOT NULL DEFAULT 0,
    cache_write     INTEGER NOT NULL DEFAULT 0,
    cost_usd_micros INTEGER,
    sent_tokens     INTEGER NOT NULL DEFAULT 0,
    pasted_tokens   INTEGER NOT NULL DEFAULT 0,
    conversation    TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (generation_id, position)
) STRICT;
