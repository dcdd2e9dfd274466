-- What a model writes for a project: a queue of its own, and how far each contract is.
CREATE TABLE generations (
    id               UUID PRIMARY KEY,
    project_id       UUID NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    started_by       UUID NOT NULL REFERENCES users (id),
    kind             TEXT NOT NULL CHECK (kind IN ('contracts', 'answers')),
    status           TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    cancel_requested BOOLEAN NOT NULL DEFAULT FALSE,
    model            TEXT,
    failure          TEXT,
    failures         BIGINT NOT NULL DEFAULT 0,
    owner            TEXT,
    fence            BIGINT NOT NULL DEFAULT 0,
    lease_expires_at TIMESTAMPTZ,
    run_after        TIMESTAMPTZ NOT NULL,
    created_at       TIMESTAMPTZ NOT NULL,
    started_at       TIMESTAMPTZ,
    finished_at      TIMESTAMPTZ
);
CREATE INDEX generations_by_project ON generations (project_id, kind, id);
CREATE UNIQUE INDEX generations_one_unfinished ON generations (project_id, kind)
    WHERE status = 'queued' OR status = 'running';
CREATE INDEX generations_due ON generations (run_after) WHERE status = 'queued' OR status = 'running';

CREATE TABLE generation_drafts (
    generation_id   UUID NOT NULL REFERENCES generations (id) ON DELETE CASCADE,
    position        BIGINT NOT NULL,
    type            TEXT NOT NULL,
    status          TEXT NOT NULL CHECK (status IN ('waiting', 'writing', 'written', 'failed')),
    attempt         BIGINT NOT NULL DEFAULT 1,
    turn            BIGINT NOT NULL DEFAULT 0,
    tool            TEXT,
    refusals        BIGINT NOT NULL DEFAULT 0,
    refusal         TEXT,
    version         BIGINT,
    source          TEXT,
    tokens_in       BIGINT NOT NULL DEFAULT 0,
    tokens_out      BIGINT NOT NULL DEFAULT 0,
    cache_read      BIGINT NOT NULL DEFAULT 0,
    cache_write     BIGINT NOT NULL DEFAULT 0,
    cost_usd_micros BIGINT,
    sent_tokens     BIGINT NOT NULL DEFAULT 0,
    pasted_tokens   BIGINT NOT NULL DEFAULT 0,
    conversation    TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (generation_id, position)
);
