-- Builds: the journal, what is derived from it, and the queue.
CREATE TABLE builds (
    id             UUID PRIMARY KEY,
    project_id     UUID NOT NULL REFERENCES projects (id),
    started_by     UUID NOT NULL REFERENCES users (id),
    snapshot_batch UUID,
    status         TEXT NOT NULL,
    verdict        TEXT,
    branch         TEXT,
    baseline_sha   TEXT,
    head_sha       TEXT,
    branch_status  TEXT,
    commit_count   BIGINT NOT NULL DEFAULT 0,
    model          TEXT,
    sandbox_level  TEXT,
    node           TEXT,
    attempt        BIGINT NOT NULL DEFAULT 0,
    head_seq       BIGINT NOT NULL DEFAULT 0,
    head_hash      TEXT NOT NULL DEFAULT '',
    phase_count    BIGINT NOT NULL DEFAULT 0,
    phases_done    BIGINT NOT NULL DEFAULT 0,
    open_errors    BIGINT NOT NULL DEFAULT 0,
    open_questions BIGINT NOT NULL DEFAULT 0,
    blocked_reason TEXT,
    created_at     TIMESTAMPTZ NOT NULL,
    started_at     TIMESTAMPTZ,
    finished_at    TIMESTAMPTZ
);
CREATE INDEX builds_by_project ON builds (project_id, id);
CREATE UNIQUE INDEX builds_one_unfinished ON builds (project_id)
    WHERE status <> 'sealed' AND status <> 'abandoned';

-- Beside the build's row, which every append writes whole.
CREATE TABLE build_checkpoints (
    build_id UUID PRIMARY KEY REFERENCES builds (id) ON DELETE CASCADE,
    seq      BIGINT NOT NULL,
    state    TEXT NOT NULL
);

CREATE TABLE build_phases (
    build_id     UUID NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    number       BIGINT NOT NULL,
    title        TEXT NOT NULL,
    status       TEXT NOT NULL CHECK (status IN ('pending', 'running', 'complete')),
    started_at   TIMESTAMPTZ,
    completed_at TIMESTAMPTZ,
    PRIMARY KEY (build_id, number)
);

CREATE TABLE build_events (
    build_id UUID NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    seq      BIGINT NOT NULL,
    type     TEXT NOT NULL,
    at       TIMESTAMPTZ NOT NULL,
    body     TEXT NOT NULL,
    hash     TEXT NOT NULL,
    PRIMARY KEY (build_id, seq)
);

CREATE TABLE build_errors (
    id                 UUID PRIMARY KEY,
    build_id           UUID NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    fingerprint        TEXT NOT NULL,
    first_seen         TIMESTAMPTZ NOT NULL,
    last_seen          TIMESTAMPTZ NOT NULL,
    occurrence_count   BIGINT NOT NULL DEFAULT 1,
    phase              TEXT,
    file_path          TEXT,
    source             TEXT NOT NULL,
    severity           TEXT NOT NULL CHECK (severity IN ('warning', 'error', 'fatal')),
    message            TEXT NOT NULL,
    resolved           BOOLEAN NOT NULL DEFAULT FALSE,
    resolved_at        TIMESTAMPTZ,
    resolution_method  TEXT CHECK (resolution_method IN ('auto-fix', 'phase-complete', 'dismissed')),
    resolution_summary TEXT,
    regression         BOOLEAN NOT NULL DEFAULT FALSE,
    created_at         TIMESTAMPTZ NOT NULL,
    UNIQUE (build_id, fingerprint)
);
CREATE INDEX build_errors_by_state ON build_errors (build_id, resolved, id);

CREATE TABLE clarifications (
    id          UUID PRIMARY KEY,
    build_id    UUID NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    run_id      UUID NOT NULL,
    call_id     TEXT NOT NULL,
    question    TEXT NOT NULL,
    context     TEXT,
    options     TEXT NOT NULL,
    asked_by    TEXT NOT NULL,
    asked_at    TIMESTAMPTZ NOT NULL,
    expires_at  TIMESTAMPTZ,
    status      TEXT NOT NULL CHECK (status IN ('open', 'answered', 'timed_out', 'skipped', 'cancelled')),
    answer      TEXT,
    answered_by UUID REFERENCES users (id),
    resolved_at TIMESTAMPTZ
);
CREATE INDEX clarifications_by_build ON clarifications (build_id, id);
CREATE INDEX clarifications_open ON clarifications (expires_at) WHERE status = 'open';

CREATE TABLE agent_messages (
    build_id   UUID NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    run_id     UUID NOT NULL,
    position   BIGINT NOT NULL,
    role       TEXT NOT NULL,
    message    TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (run_id, position)
);
CREATE INDEX agent_messages_by_build ON agent_messages (build_id);

CREATE TABLE artifacts (
    id         UUID PRIMARY KEY,
    build_id   UUID NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    kind       TEXT NOT NULL,
    key        TEXT NOT NULL,
    content    TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ,
    UNIQUE (build_id, kind, key)
);
CREATE INDEX artifacts_by_expiry ON artifacts (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE blobs (
    sha256     TEXT PRIMARY KEY,
    size       BIGINT NOT NULL,
    zstd       BYTEA NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE work_items (
    id               UUID PRIMARY KEY,
    build_id         UUID NOT NULL UNIQUE REFERENCES builds (id) ON DELETE CASCADE,
    status           TEXT NOT NULL CHECK (status IN ('queued', 'claimed', 'waiting', 'done')),
    owner            TEXT,
    generation       BIGINT NOT NULL DEFAULT 0,
    lease_expires_at TIMESTAMPTZ,
    run_after        TIMESTAMPTZ NOT NULL,
    attempts         BIGINT NOT NULL DEFAULT 0,
    last_verdict     TEXT,
    last_feedback    TEXT,
    created_at       TIMESTAMPTZ NOT NULL
);
CREATE INDEX work_items_due ON work_items (run_after) WHERE status = 'queued' OR status = 'claimed';

CREATE TABLE seals (
    build_id     UUID PRIMARY KEY REFERENCES builds (id) ON DELETE CASCADE,
    verdict      TEXT NOT NULL CHECK (verdict IN ('CERTIFIED', 'CONDITIONAL', 'FLAGGED')),
    score        DOUBLE PRECISION NOT NULL,
    seal_commit  TEXT NOT NULL,
    journal_head TEXT NOT NULL,
    evidence     TEXT NOT NULL,
    sealed_at    TIMESTAMPTZ NOT NULL
);
