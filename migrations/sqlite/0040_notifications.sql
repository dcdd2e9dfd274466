-- What is sent by email and webhooks: first what happened, written with it, then what is sent to whom.
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

-- To a webhook, or by email to a user.
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

-- Which kinds a user receives by email; a JSON array.
CREATE TABLE email_preferences (
    user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    kinds   TEXT NOT NULL
) STRICT;

-- The server that sends email: one row.
CREATE TABLE smtp_settings (
    id              INTEGER PRIMARY KEY CHECK (id = 1),
    settings        TEXT NOT NULL,
    sealed_password TEXT,
    updated_at      INTEGER NOT NULL
) STRICT;
