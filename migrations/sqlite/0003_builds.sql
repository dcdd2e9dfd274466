-- Builds: the journal, what is derived from it, and the queue.
CREATE TABLE builds (
    id             TEXT PRIMARY KEY,
    project_id     TEXT NOT NULL REFERENCES projects (id),
    started_by     TEXT NOT NULL REFERENCES users (id),
    snapshot_batch TEXT,
    status         TEXT NOT NULL,
    verdict        TEXT,
    branch         TEXT,
    baseline_sha   TEXT,
    head_sha       TEXT,
    branch_status  TEXT,
    commit_count   INTEGER NOT NULL DEFAULT 0,
    model          TEXT,
    sandbox_level  TEXT,
    node           TEXT,
    attempt        INTEGER NOT NULL DEFAULT 0,
    head_seq       INTEGER NOT NULL DEFAULT 0,
    head_hash      TEXT NOT NULL DEFAULT '',
    phase_count    INTEGER NOT NULL DEFAULT 0,
    phases_done    INTEGER NOT NULL DEFAULT 0,
    open_errors    INTEGER NOT NULL DEFAULT 0,
    open_questions INTEGER NOT NULL DEFAULT 0,
    blocked_reason TEXT,
    created_at     INTEGER NOT NULL,
    started_at     INTEGER,
    finished_at    INTEGER
) STRICT;
CREATE INDEX builds_by_project ON builds (project_id, id);
CREATE UNIQUE INDEX builds_one_unfinished ON builds (project_id)
    WHERE status <> 'sealed' AND status <> 'abandoned';

-- Beside the build's row, which every append writes whole.
CREATE TABLE build_checkpoints (
    build_id TEXT PRIMARY KEY REFERENCES builds (id) ON DELETE CASCADE,
    seq      INTEGER NOT NULL,
    state    TEXT NOT NULL
) STRICT;

CREATE TABLE build_phases (
    build_id     TEXT NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    number       INTEGER NOT NULL,
    title        TEXT NOT NULL,
    status       TEXT NOT NULL CHECK (status IN ('pending', 'running', 'complete')),
    started_at   INTEGER,
    completed_at INTEGER,
    PRIMARY KEY (build_id, number)
) STRICT;

CREATE TABLE build_events (
    build_id TEXT NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    seq      INTEGER NOT NULL,
    type     TEXT NOT NULL,
    at       INTEGER NOT NULL,
    body     TEXT NOT NULL,
    hash     TEXT NOT NULL,
    PRIMARY KEY (build_id, seq)
) STRICT;

CREATE TABLE build_errors (
    id                 TEXT PRIMARY KEY,
    build_id           TEXT NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    fingerprint        TEXT NOT NULL,
    first_seen         INTEGER NOT NULL,
    last_seen          INTEGER NOT NULL,
    occurrence_count   INTEGER NOT NULL DEFAULT 1,
    phase              TEXT,
    file_path          TEXT,
    source             TEXT NOT NULL,
    severity           TEXT NOT NULL CHECK (severity IN ('warning', 'error', 'fatal')),
    message            TEXT NOT NULL,
    resolved           INTEGER NOT NULL DEFAULT FALSE,
    resolved_at        INTEGER,
    resolution_method  TEXT CHECK (resolution_method IN ('auto-fix', 'phase-complete', 'dismissed')),
    resolution_summary TEXT,
    regression         INTEGER NOT NULL DEFAULT FALSE,
    created_at         INTEGER NOT NULL,
    UNIQUE (build_id, fingerprint)
) STRICT;
CREATE INDEX build_errors_by_state ON build_errors (build_id, resolved, id);

CREATE TABLE clarifications (
    id          TEXT PRIMARY KEY,
    build_id    TEXT NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    run_id      TEXT NOT NULL,
    call_id     TEXT NOT NULL,
    question    TEXT NOT NULL,
    context     TEXT,
    options     TEXT NOT NULL,
    asked_by    TEXT NOT NULL,
    asked_at    INTEGER NOT NULL,
    expires_at  INTEGER,
    status      TEXT NOT NULL CHECK (status IN ('open', 'answered', 'timed_out', 'skipped', 'cancelled')),
    answer      TEXT,
    answered_by TEXT REFERENCES users (id),
    resolved_at INTEGER
) STRICT;
CREATE INDEX clarifications_by_build ON clarifications (build_id, id);
CREATE INDEX clarifications_open ON clarifications (expires_at) WHERE status = 'open';

CREATE TABLE agent_messages (
    build_id   TEXT NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    run_id     TEXT NOT NULL,
    position   INTEGER NOT NULL,
    role       TEXT NOT NULL,
    message    TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (run_id, position)
) STRICT;
CREATE INDEX agent_messages_by_build ON agent_messages (build_id);

CREATE TABLE artifacts (
    id         TEXT PRIMARY KEY,
    build_id   TEXT NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    kind       TEXT NOT NULL,
    key        TEXT NOT NULL,
    content    TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER,
    UNIQUE (build_id, kind, key)
) STRICT;
CREATE INDEX artifacts_by_expiry ON artifacts (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE blobs (
    sha256     TEXT PRIMARY KEY,
    size       INTEGER NOT NULL,
    zstd       BLOB NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE work_items (
    id               TEXT PRIMARY KEY,
    build_id         TEXT NOT NULL UNIQUE REFERENCES builds (id) ON DELETE CASCADE,
    status           TEXT NOT NULL CHECK (status IN ('queued', 'claimed', 'waiting', 'done')),
    owner            TEXT,
    generation       INTEGER NOT NULL DEFAULT 0,
    lease_expires_at INTEGER,
    run_after        INTEGER NOT NULL,
    attempts         INTEGER NOT NULL DEFAULT 0,
    last_verdict     TEXT,
    last_feedback    TEXT,
    created_at       INTEGER NOT NULL
) STRICT;
CREATE INDEX work_items_due ON work_items (run_after) WHERE status = 'queued' OR status = 'claimed';

CREATE TABLE seals (
    build_id     TEXT PRIMARY KEY REFERENCES builds (id) ON DELETE CASCADE,
    verdict      TEXT NOT NULL CHECK (verdict IN ('CERTIFIED', 'CONDITIONAL', 'FLAGGED')),
    score        REAL NOT NULL,
    seal_commit  TEXT NOT NULL,
    journal_head TEXT NOT NULL,
    evidence     TEXT NOT NULL,
    sealed_at    INTEGER NOT NULL
) STRICT;
