-- Generated from the migrations, see CONTRIBUTING.md.

CREATE TABLE users (
    id            TEXT PRIMARY KEY,
    email         TEXT NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    role          TEXT NOT NULL CHECK (role IN ('admin', 'user')),
    password_hash TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    disabled_at   INTEGER
, granted_by TEXT REFERENCES users (id), granted_at INTEGER, has_password INTEGER NOT NULL DEFAULT TRUE) STRICT;

CREATE TABLE sessions (
    id           TEXT PRIMARY KEY,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    refresh_hash TEXT NOT NULL UNIQUE,
    user_agent   TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL
) STRICT;

CREATE INDEX sessions_by_user ON sessions (user_id);

CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE forge_keys (
    id           TEXT PRIMARY KEY,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name         TEXT NOT NULL,
    prefix       TEXT NOT NULL,
    key_hash     TEXT NOT NULL UNIQUE,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER,
    expires_at   INTEGER,
    revoked_at   INTEGER
, scopes TEXT, project_id TEXT REFERENCES projects (id) ON DELETE CASCADE, build_id TEXT REFERENCES builds (id) ON DELETE CASCADE, last_call TEXT, last_call_at INTEGER) STRICT;

CREATE INDEX forge_keys_by_user ON forge_keys (user_id, id);

CREATE TABLE idempotency_keys (
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    route      TEXT NOT NULL,
    key        TEXT NOT NULL,
    status     INTEGER,
    body       TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, route, key)
) STRICT;

CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);

CREATE TABLE projects (
    id             TEXT PRIMARY KEY,
    owner_id       TEXT NOT NULL REFERENCES users (id),
    name           TEXT NOT NULL,
    description    TEXT NOT NULL,
    origin         TEXT NOT NULL CHECK (origin IN ('questionnaire', 'repository', 'spec', 'demo')),
    default_branch TEXT NOT NULL,
    settings       TEXT NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    deleted_at     INTEGER
, build_count INTEGER NOT NULL DEFAULT 0, slug TEXT, archived_at INTEGER) STRICT;

CREATE INDEX projects_by_owner ON projects (owner_id, id);

CREATE TABLE project_notes (
    id         TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    content    TEXT NOT NULL,
    version    INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, user_id)
) STRICT;

CREATE TABLE contracts (
    id         TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    type       TEXT NOT NULL,
    version    INTEGER NOT NULL,
    format     TEXT NOT NULL CHECK (format IN ('markdown', 'yaml', 'json')),
    content    TEXT NOT NULL,
    source     TEXT NOT NULL,
    author_id  TEXT REFERENCES users (id),
    created_at INTEGER NOT NULL,
    UNIQUE (project_id, type, version)
) STRICT;

CREATE TABLE contract_snapshots (
    id          TEXT NOT NULL,
    project_id  TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    contract_id TEXT NOT NULL REFERENCES contracts (id),
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (id, contract_id)
) STRICT;

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
, follows TEXT REFERENCES builds (id), title TEXT, number INTEGER NOT NULL DEFAULT 0, working_ms INTEGER, tokens INTEGER, usd_micros INTEGER, budget_tokens INTEGER, budget_usd_micros INTEGER, running_agents INTEGER, slot INTEGER NOT NULL DEFAULT 0 CHECK (slot BETWEEN 0 AND 9)) STRICT;

CREATE INDEX builds_by_project ON builds (project_id, id);

CREATE TABLE build_checkpoints (
    build_id TEXT PRIMARY KEY REFERENCES builds (id) ON DELETE CASCADE,
    seq      INTEGER NOT NULL,
    state    TEXT NOT NULL
) STRICT;

CREATE TABLE build_phases (
    build_id     TEXT NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    number       INTEGER NOT NULL,
    title        TEXT NOT NULL,
    started_at   INTEGER,
    completed_at INTEGER, status TEXT NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'running', 'complete', 'skipped')),
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
    created_at         INTEGER NOT NULL, first_seq INTEGER,
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
, asked_seq INTEGER, resolved_seq INTEGER, contract TEXT, multiple INTEGER NOT NULL DEFAULT FALSE, kind TEXT NOT NULL DEFAULT 'question'
    CHECK (kind IN ('question', 'permission', 'assumption', 'plan', 'work', 'confirmation'))) STRICT;

CREATE INDEX clarifications_by_build ON clarifications (build_id, id);

CREATE TABLE agent_messages (
    build_id   TEXT NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    run_id     TEXT NOT NULL,
    position   INTEGER NOT NULL,
    role       TEXT NOT NULL,
    message    TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (run_id, position)
) STRICT;

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
    fence       INTEGER NOT NULL DEFAULT 0,
    lease_expires_at INTEGER,
    run_after        INTEGER NOT NULL,
    attempts         INTEGER NOT NULL DEFAULT 0,
    created_at       INTEGER NOT NULL
, step TEXT, interrupted_step TEXT, interruptions INTEGER NOT NULL DEFAULT 0, heartbeat_at INTEGER, current_step TEXT, progress_percent INTEGER, memory_bytes INTEGER, cpu_percent INTEGER) STRICT;

CREATE INDEX work_items_due ON work_items (run_after) WHERE status = 'queued' OR status = 'claimed';

CREATE TABLE seals (
    build_id     TEXT PRIMARY KEY REFERENCES builds (id) ON DELETE CASCADE,
    verdict      TEXT NOT NULL CHECK (verdict IN ('CERTIFIED', 'CONDITIONAL', 'FLAGGED')),
    score        REAL NOT NULL,
    seal_commit  TEXT NOT NULL,
    journal_head TEXT NOT NULL,
    evidence     TEXT NOT NULL,
    sealed_at    INTEGER NOT NULL
, envelope TEXT) STRICT;

CREATE TABLE questionnaires (
    project_id TEXT PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    size       TEXT NOT NULL CHECK (size IN ('full', 'mini')),
    answers    TEXT NOT NULL,
    version    INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE generations (
    id               TEXT PRIMARY KEY,
    project_id       TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    started_by       TEXT NOT NULL REFERENCES users (id),
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
, note TEXT, kind TEXT NOT NULL DEFAULT 'contracts'
    CHECK (kind IN ('contracts', 'answers', 'build_question'))) STRICT;

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

CREATE INDEX build_errors_by_fingerprint ON build_errors (fingerprint, build_id);

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

CREATE TABLE reviews (
    id          TEXT PRIMARY KEY,
    build_id    TEXT NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL,
    reviewer_id TEXT NOT NULL REFERENCES users (id),
    decision    TEXT NOT NULL CHECK (decision IN ('approved', 'changes_requested')),
    reason      TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    UNIQUE (build_id, number)
) STRICT;

CREATE TABLE review_comments (
    id          TEXT PRIMARY KEY,
    build_id    TEXT NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    author_id   TEXT NOT NULL REFERENCES users (id),
    path        TEXT NOT NULL,
    side        TEXT NOT NULL CHECK (side IN ('old', 'new')),
    line        INTEGER NOT NULL,
    line_text   TEXT NOT NULL,
    text        TEXT NOT NULL,
    parent_id   TEXT REFERENCES review_comments (id),
    created_at  INTEGER NOT NULL,
    resolved_at INTEGER,
    resolved_by TEXT REFERENCES users (id)
, suggestion_accepted_at INTEGER, suggestion_accepted_by TEXT REFERENCES users (id), first_line INTEGER) STRICT;

CREATE INDEX review_comments_by_build ON review_comments (build_id, id);

CREATE TABLE audit_log (
    seq        INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL,
    actor_id   TEXT,
    actor_name TEXT NOT NULL,
    action     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    detail     TEXT NOT NULL
, hash TEXT) STRICT;

CREATE INDEX audit_log_by_action ON audit_log (action, seq);

CREATE INDEX audit_log_by_actor ON audit_log (actor_id, seq);

CREATE TABLE invitations (
    token_hash TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
, created_by TEXT REFERENCES users (id), revoke_keys INTEGER NOT NULL DEFAULT TRUE) STRICT;

CREATE TRIGGER audit_log_not_updated BEFORE UPDATE ON audit_log
BEGIN
    SELECT RAISE(ABORT, 'the audit log is never changed');
END;

CREATE TRIGGER audit_log_not_deleted BEFORE DELETE ON audit_log
BEGIN
    SELECT RAISE(ABORT, 'the audit log is never changed');
END;

CREATE TRIGGER audit_log_not_replaced BEFORE INSERT ON audit_log
    WHEN EXISTS (SELECT 1 FROM audit_log WHERE seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'the audit log is never changed');
END;

CREATE UNIQUE INDEX builds_one_follow_up ON builds (follows) WHERE status <> 'abandoned';

CREATE TABLE project_viewers (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, user_id)
) STRICT;

CREATE INDEX project_viewers_by_user ON project_viewers (user_id, project_id);

CREATE INDEX audit_log_by_subject ON audit_log (subject, seq);

CREATE TABLE node_heartbeats (
    node TEXT PRIMARY KEY,
    written_at INTEGER NOT NULL
) STRICT;

CREATE TABLE installation_settings (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    settings   TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX build_events_by_type ON build_events (build_id, type, seq);

CREATE INDEX generations_by_project ON generations (project_id, kind, id);

CREATE UNIQUE INDEX generations_one_unfinished ON generations (project_id, kind)
    WHERE (status = 'queued' OR status = 'running') AND kind <> 'build_question';

CREATE TABLE build_questions (
    generation_id     TEXT PRIMARY KEY REFERENCES generations (id) ON DELETE CASCADE,
    build_id          TEXT NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    question          TEXT NOT NULL,
    answer            TEXT,
    answer_references TEXT NOT NULL DEFAULT '[]'
) STRICT;

CREATE INDEX build_questions_by_build ON build_questions (build_id, generation_id);

CREATE UNIQUE INDEX builds_by_number ON builds (project_id, number);

CREATE INDEX builds_by_branch ON builds (project_id, branch);

CREATE UNIQUE INDEX projects_by_slug ON projects (slug);

CREATE TABLE project_slugs (
    slug       TEXT PRIMARY KEY,
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE
) STRICT;

CREATE INDEX project_slugs_by_project ON project_slugs (project_id);

CREATE TABLE provider_keys (
    provider   TEXT PRIMARY KEY CHECK (provider IN ('anthropic', 'openai')),
    -- Base64 of nonce, ciphertext and tag; null for an address without a key.
    sealed_key TEXT,
    last_four  TEXT,
    base_url   TEXT,
    set_by     TEXT NOT NULL REFERENCES users (id),
    set_at     INTEGER NOT NULL
) STRICT;

CREATE TABLE inbox_reads (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    item    TEXT NOT NULL,
    read_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, item)
) STRICT;

CREATE INDEX clarifications_open ON clarifications (build_id) WHERE status = 'open';

CREATE INDEX reviews_by_time ON reviews (created_at);

CREATE INDEX seals_by_time ON seals (sealed_at);

CREATE INDEX audit_log_by_time ON audit_log (at, seq);

CREATE TABLE notifications (
    id         TEXT PRIMARY KEY,
    kind       TEXT NOT NULL CHECK (kind IN ('question', 'plan', 'blocked', 'review')),
    build_id   TEXT NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    -- The item of the inbox that it is about.
    item       TEXT NOT NULL UNIQUE,
    text       TEXT,
    decision   TEXT,
    -- Who caused it; they are not told.
    actor_id   TEXT,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE webhooks (
    id            TEXT PRIMARY KEY,
    -- Null for all projects of the installation.
    project_id    TEXT REFERENCES projects (id) ON DELETE CASCADE,
    url           TEXT NOT NULL,
    sealed_secret TEXT NOT NULL,
    -- A JSON array.
    kinds         TEXT NOT NULL,
    created_by    TEXT NOT NULL REFERENCES users (id),
    created_at    INTEGER NOT NULL,
    failing_since INTEGER,
    disabled_at   INTEGER
) STRICT;

CREATE INDEX webhooks_by_project ON webhooks (project_id, id);

CREATE TABLE deliveries (
    id              TEXT PRIMARY KEY,
    notification_id TEXT NOT NULL,
    webhook_id      TEXT REFERENCES webhooks (id) ON DELETE CASCADE,
    user_id         TEXT REFERENCES users (id) ON DELETE CASCADE,
    title           TEXT NOT NULL,
    body            TEXT NOT NULL,
    status          TEXT NOT NULL CHECK (status IN ('waiting', 'delivered', 'failed')),
    attempts        INTEGER NOT NULL,
    run_after       INTEGER NOT NULL,
    attempted_at    INTEGER,
    failure         TEXT,
    created_at      INTEGER NOT NULL,
    UNIQUE (notification_id, webhook_id),
    UNIQUE (notification_id, user_id)
) STRICT;

CREATE INDEX deliveries_due ON deliveries (run_after) WHERE status = 'waiting';

CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, id);

CREATE INDEX deliveries_by_user ON deliveries (user_id);

CREATE INDEX deliveries_by_time ON deliveries (created_at);

CREATE TABLE email_preferences (
    user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    kinds   TEXT NOT NULL
) STRICT;

CREATE TABLE smtp_settings (
    id              INTEGER PRIMARY KEY CHECK (id = 1),
    settings        TEXT NOT NULL,
    sealed_password TEXT,
    updated_at      INTEGER NOT NULL
) STRICT;

CREATE TABLE viewed_files (
    user_id    TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    build_id   TEXT NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    path       TEXT NOT NULL,
    content_id TEXT NOT NULL,
    PRIMARY KEY (user_id, build_id, path)
) STRICT;

CREATE INDEX viewed_files_by_build ON viewed_files (build_id);

CREATE TABLE demo_speeds (
    build_id TEXT PRIMARY KEY REFERENCES builds (id) ON DELETE CASCADE,
    speed TEXT NOT NULL
) STRICT;

CREATE TABLE credentials (
    id            TEXT PRIMARY KEY,
    scope         TEXT NOT NULL CHECK (scope IN ('installation', 'user', 'project')),
    user_id       TEXT REFERENCES users (id) ON DELETE CASCADE,
    project_id    TEXT REFERENCES projects (id) ON DELETE CASCADE,
    name          TEXT NOT NULL,
    -- The only host that receives it, with its port if that is not the usual one.
    host          TEXT NOT NULL,
    kind          TEXT NOT NULL CHECK (kind IN ('token', 'ssh_key')),
    -- Of a token.
    username      TEXT,
    -- Of an SSH key.
    public_key    TEXT,
    -- Base64 of nonce, ciphertext and tag.
    sealed_secret TEXT NOT NULL,
    created_by    TEXT NOT NULL REFERENCES users (id),
    created_at    INTEGER NOT NULL,
    last_used_at  INTEGER,
    CHECK ((scope = 'user') = (user_id IS NOT NULL)),
    CHECK ((scope = 'project') = (project_id IS NOT NULL))
) STRICT;

CREATE INDEX credentials_by_user ON credentials (user_id);

CREATE INDEX credentials_by_project ON credentials (project_id);

CREATE TABLE remotes (
    project_id         TEXT PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    -- Without credentials.
    url                TEXT NOT NULL,
    forge              TEXT NOT NULL CHECK (forge IN ('github', 'gitea', 'gitlab', 'other')),
    -- Null until the first fetch.
    default_branch     TEXT,
    credential_id      TEXT REFERENCES credentials (id) ON DELETE SET NULL,
    -- JSON: what the last fetch found in the repository.
    findings           TEXT,
    -- Of incoming webhooks; null if there are none.
    sealed_hook_secret TEXT,
    fetched_at         INTEGER,
    fetch_error        TEXT,
    created_by         TEXT NOT NULL REFERENCES users (id),
    created_at         INTEGER NOT NULL
) STRICT;

CREATE INDEX remotes_by_credential ON remotes (credential_id);

CREATE TABLE fetches (
    id               TEXT PRIMARY KEY,
    project_id       TEXT NOT NULL UNIQUE REFERENCES remotes (project_id) ON DELETE CASCADE,
    kind             TEXT NOT NULL CHECK (kind IN ('import', 'fetch')),
    status           TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    cancel_requested INTEGER NOT NULL DEFAULT FALSE,
    -- Whether the remote has changed since this one began.
    again            INTEGER NOT NULL DEFAULT FALSE,
    -- JSON.
    progress         TEXT,
    problem          TEXT,
    failure          TEXT,
    attempts         INTEGER NOT NULL DEFAULT 0,
    owner            TEXT,
    fence            INTEGER NOT NULL DEFAULT 0,
    lease_expires_at INTEGER,
    run_after        INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    started_at       INTEGER,
    finished_at      INTEGER
) STRICT;

CREATE INDEX fetches_due ON fetches (run_after) WHERE status = 'queued' OR status = 'running';

CREATE TABLE received_hooks (
    project_id  TEXT NOT NULL REFERENCES remotes (project_id) ON DELETE CASCADE,
    delivery    TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, delivery)
) STRICT;

CREATE TABLE branch_deliveries (
    id               TEXT PRIMARY KEY,
    build_id         TEXT NOT NULL UNIQUE REFERENCES builds (id) ON DELETE CASCADE,
    -- Null if the seal requested it.
    requested_by     TEXT REFERENCES users (id),
    status           TEXT NOT NULL CHECK (status IN ('queued', 'claimed', 'done')),
    state            TEXT NOT NULL CHECK (state IN ('waiting', 'pushing', 'opening', 'delivered', 'no_pr', 'failed', 'no_remote')),
    owner            TEXT,
    fence            INTEGER NOT NULL DEFAULT 0,
    lease_expires_at INTEGER,
    run_after        INTEGER NOT NULL,
    -- Failed attempts since it was last requested.
    attempts         INTEGER NOT NULL DEFAULT 0,
    failure          TEXT,
    -- What the forge did not accept of a pull request that exists.
    note             TEXT,
    pr_number        INTEGER,
    pr_url           TEXT,
    pr_state         TEXT CHECK (pr_state IN ('open', 'merged', 'closed')),
    pr_draft         INTEGER NOT NULL DEFAULT FALSE,
    checks_passed    INTEGER NOT NULL DEFAULT 0,
    checks_failed    INTEGER NOT NULL DEFAULT 0,
    checks_pending   INTEGER NOT NULL DEFAULT 0,
    -- When the pull request was last read.
    read_at          INTEGER,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    delivered_at     INTEGER, pr_comments TEXT NOT NULL DEFAULT '[]', again INTEGER NOT NULL DEFAULT FALSE,
    CHECK (state <> 'delivered' OR (pr_url IS NOT NULL AND delivered_at IS NOT NULL))
) STRICT;

CREATE INDEX branch_deliveries_due ON branch_deliveries (run_after) WHERE status = 'queued' OR status = 'claimed';

CREATE TABLE gate_reruns (
    id               TEXT PRIMARY KEY,
    build_id         TEXT NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    requested_by     TEXT NOT NULL REFERENCES users (id),
    status           TEXT NOT NULL CHECK (status IN ('queued', 'claimed', 'done')),
    owner            TEXT,
    fence            INTEGER NOT NULL DEFAULT 0,
    lease_expires_at INTEGER,
    run_after        INTEGER NOT NULL,
    -- Attempts that were interrupted.
    attempts         INTEGER NOT NULL DEFAULT 0,
    -- Why it has no results.
    failure          TEXT,
    -- A JSON array with the result of each gate.
    results          TEXT NOT NULL DEFAULT '[]',
    created_at       INTEGER NOT NULL,
    finished_at      INTEGER
) STRICT;

CREATE INDEX gate_reruns_of_build ON gate_reruns (build_id, created_at);

CREATE INDEX gate_reruns_due ON gate_reruns (run_after) WHERE status = 'queued' OR status = 'claimed';

CREATE UNIQUE INDEX gate_reruns_unfinished ON gate_reruns (build_id) WHERE status <> 'done';

CREATE TABLE specs (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    version    INTEGER NOT NULL,
    content    TEXT NOT NULL,
    author_id  TEXT NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, version)
) STRICT;

CREATE TABLE project_artifacts (
    project_id TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    key        TEXT NOT NULL,
    content    TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, key)
) STRICT;

CREATE INDEX project_artifacts_by_expiry ON project_artifacts (expires_at);

CREATE TABLE sign_in_providers (
    id              TEXT PRIMARY KEY,
    name            TEXT NOT NULL UNIQUE,
    kind            TEXT NOT NULL CHECK (kind IN ('oidc', 'github')),
    -- Of GitHub: the address of the server.
    issuer_url      TEXT NOT NULL,
    client_id       TEXT NOT NULL,
    -- Base64 of nonce, ciphertext and tag.
    sealed_secret   TEXT NOT NULL,
    enabled         INTEGER NOT NULL,
    first_sign_in   TEXT NOT NULL CHECK (first_sign_in IN ('invited', 'domains', 'anyone')),
    -- A JSON list.
    allowed_domains TEXT NOT NULL,
    -- Null if roles are not taken from the provider.
    role_claim      TEXT,
    admin_value     TEXT,
    created_by      TEXT NOT NULL REFERENCES users (id),
    created_at      INTEGER NOT NULL,
    CHECK ((role_claim IS NULL) = (admin_value IS NULL))
) STRICT;

CREATE TABLE identities (
    id           TEXT PRIMARY KEY,
    provider_id  TEXT NOT NULL REFERENCES sign_in_providers (id) ON DELETE CASCADE,
    -- The provider's own id of the person.
    subject      TEXT NOT NULL,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- As the provider named it at the last sign-in.
    email        TEXT,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER,
    UNIQUE (provider_id, subject)
) STRICT;

CREATE INDEX identities_by_user ON identities (user_id);

CREATE TABLE pending_sign_ins (
    state_hash      TEXT PRIMARY KEY,
    -- Of the cookie of the browser that started it.
    browser_hash    TEXT NOT NULL,
    provider_id     TEXT NOT NULL REFERENCES sign_in_providers (id) ON DELETE CASCADE,
    redirect_url    TEXT NOT NULL,
    return_to       TEXT NOT NULL,
    -- The invitation that it accepts.
    invitation_hash TEXT,
    -- The session whose user links the provider.
    session_id      TEXT REFERENCES sessions (id) ON DELETE CASCADE,
    expires_at      INTEGER NOT NULL
) STRICT;

CREATE INDEX pending_sign_ins_by_expiry ON pending_sign_ins (expires_at);

CREATE TABLE local_repositories (
    project_id TEXT NOT NULL PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    path       TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE backlogs (
    id               TEXT PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    item_count       INTEGER NOT NULL DEFAULT 0,
    status           TEXT NOT NULL CHECK (status IN ('queued', 'claimed', 'waiting')),
    changed          INTEGER NOT NULL DEFAULT FALSE,
    owner            TEXT,
    fence            INTEGER NOT NULL DEFAULT 0,
    lease_expires_at INTEGER,
    run_after        INTEGER NOT NULL
) STRICT;

CREATE INDEX backlogs_due ON backlogs (run_after) WHERE status = 'queued';

CREATE TABLE backlog_items (
    id                 TEXT PRIMARY KEY,
    project_id         TEXT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    number             INTEGER NOT NULL,
    title              TEXT NOT NULL,
    description        TEXT NOT NULL,
    spec               TEXT,
    scope              TEXT NOT NULL,
    position           INTEGER NOT NULL,
    external_id        TEXT,
    created_by         TEXT NOT NULL REFERENCES users (id),
    created_at         INTEGER NOT NULL,
    updated_at         INTEGER NOT NULL,
    start_requested_by TEXT REFERENCES users (id),
    retry_at           INTEGER,
    start_error        TEXT,
    attempts           INTEGER NOT NULL DEFAULT 0,
    build_id           TEXT,
    UNIQUE (project_id, number),
    UNIQUE (project_id, external_id)
) STRICT;

CREATE INDEX backlog_items_by_position ON backlog_items (project_id, position);

CREATE INDEX backlog_items_by_build ON backlog_items (build_id);

CREATE TABLE backlog_dependencies (
    item_id    TEXT NOT NULL REFERENCES backlog_items (id) ON DELETE CASCADE,
    depends_on TEXT NOT NULL REFERENCES backlog_items (id) ON DELETE CASCADE,
    PRIMARY KEY (item_id, depends_on)
) STRICT;

CREATE INDEX backlog_dependencies_by_target ON backlog_dependencies (depends_on);

CREATE UNIQUE INDEX builds_by_slot ON builds (project_id, slot)
    WHERE status <> 'sealed' AND status <> 'abandoned';

CREATE TABLE device_sign_ins (
    -- Of the code that only the device has.
    code_hash       TEXT PRIMARY KEY,
    -- The letters that the user enters in a browser.
    user_code       TEXT NOT NULL UNIQUE,
    device_name     TEXT NOT NULL,
    -- From where it was requested.
    address         TEXT NOT NULL,
    -- Scopes of the key, separated by spaces; null for full access.
    scopes          TEXT,
    status          TEXT NOT NULL CHECK (status IN ('waiting', 'approved', 'denied')),
    -- Who approved it, and how long the key is valid.
    user_id         TEXT REFERENCES users (id) ON DELETE CASCADE,
    expires_in_days INTEGER,
    created_at      INTEGER NOT NULL,
    polled_at       INTEGER,
    expires_at      INTEGER NOT NULL
) STRICT;

CREATE INDEX device_sign_ins_by_expiry ON device_sign_ins (expires_at);
