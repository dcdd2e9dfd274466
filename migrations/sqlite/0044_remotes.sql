-- Credentials for remote repositories, the remotes of projects, and their fetches.
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

-- The current or last fetch of each remote: a queue.
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

-- Received webhooks, which are not accepted twice.
CREATE TABLE received_hooks (
    project_id  TEXT NOT NULL REFERENCES remotes (project_id) ON DELETE CASCADE,
    delivery    TEXT NOT NULL,
    received_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, delivery)
) STRICT;
