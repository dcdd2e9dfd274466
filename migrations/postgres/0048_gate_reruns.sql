-- Runs of the gates of sealed builds for reviewers: a queue, and their results.
CREATE TABLE gate_reruns (
    id               UUID PRIMARY KEY,
    build_id         UUID NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    requested_by     UUID NOT NULL REFERENCES users (id),
    status           TEXT NOT NULL CHECK (status IN ('queued', 'claimed', 'done')),
    owner            TEXT,
    fence            BIGINT NOT NULL DEFAULT 0,
    lease_expires_at TIMESTAMPTZ,
    run_after        TIMESTAMPTZ NOT NULL,
    -- Attempts that were interrupted.
    attempts         BIGINT NOT NULL DEFAULT 0,
    -- Why it has no results.
    failure          TEXT,
    -- A JSON array with the result of each gate.
    results          TEXT NOT NULL DEFAULT '[]',
    created_at       TIMESTAMPTZ NOT NULL,
    finished_at      TIMESTAMPTZ
);
CREATE INDEX gate_reruns_of_build ON gate_reruns (build_id, created_at);
CREATE INDEX gate_reruns_due ON gate_reruns (run_after) WHERE status = 'queued' OR status = 'claimed';
-- One at a time for each build.
CREATE UNIQUE INDEX gate_reruns_unfinished ON gate_reruns (build_id) WHERE status <> 'done';
