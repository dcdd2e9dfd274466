-- Credentials for remote repositories, the remotes of projects, and their fetches.
CREATE TABLE credentials (
    id            UUID PRIMARY KEY,
    scope         TEXT NOT NULL CHECK (scope IN ('installation', 'user', 'project')),
    user_id       UUID REFERENCES users (id) ON DELETE CASCADE,
    project_id    UUID REFERENCES projects (id) ON DELETE CASCADE,
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
    created_by    UUID NOT NULL REFERENCES users (id),
    created_at    TIMESTAMPTZ NOT NULL,
    last_used_at  TIMESTAMPTZ,
    CHECK ((scope = 'user') = (user_id IS NOT NULL)),
    CHECK ((scope = 'project') = (project_id IS NOT NULL))
);
CREATE INDEX credentials_by_user ON credentials (user_id);
CREATE INDEX credentials_by_project ON credentials (project_id);

CREATE TABLE remotes (
    project_id         UUID PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    -- Without credentials.
    url                TEXT NOT NULL,
    forge              TEXT NOT NULL CHECK (forge IN ('github', 'gitea', 'gitlab', 'other')),
    -- Null until the first fetch.
    default_branch     TEXT,
    credential_id      UUID REFERENCES credentials (id) ON DELETE SET NULL,
    -- JSON: what the last fetch found in the repository.
    findings           TEXT,
    -- Of incoming webhooks; null if there are none.
    sealed_hook_secret TEXT,
    fetched_at         TIMESTAMPTZ,
    fetch_error        TEXT,
    created_by         UUID NOT NULL REFERENCES users (id),
    created_at         TIMESTAMPTZ NOT NULL
);
CREATE INDEX remotes_by_credential ON remotes (credential_id);

-- The current or last fetch of each remote: a queue.
CREATE TABLE fetches (
    id               UUID PRIMARY KEY,
    project_id       UUID NOT NULL UNIQUE REFERENCES remotes (project_id) ON DELETE CASCADE,
    kind             TEXT NOT NULL CHECK (kind IN ('import', 'fetch')),
    status           TEXT NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    cancel_requested BOOLEAN NOT NULL DEFAULT FALSE,
    -- Whether the remote has changed since this one began.
    again            BOOLEAN NOT NULL DEFAULT FALSE,
    -- JSON.
    progress         TEXT,
    problem          TEXT,
    failure          TEXT,
    attempts         BIGINT NOT NULL DEFAULT 0,
    owner            TEXT,
    fence            BIGINT NOT NULL DEFAULT 0,
    lease_expires_at TIMESTAMPTZ,
    run_after        TIMESTAMPTZ NOT NULL,
    created_at       TIMESTAMPTZ NOT NULL,
    started_at       TIMESTAMPTZ,
    finished_at      TIMESTAMPTZ
);
CREATE INDEX fetches_due ON fetches (run_after) WHERE status = 'queued' OR status = 'running';

-- Received webhooks, which are not accepted twice.
CREATE TABLE received_hooks (
    project_id  UUID NOT NULL REFERENCES remotes (project_id) ON DELETE CASCADE,
    delivery    TEXT NOT NULL,
    received_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (project_id, delivery)
);
