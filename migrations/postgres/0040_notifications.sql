-- What is sent by email and webhooks: first what happened, written with it, then what is sent to whom.
CREATE TABLE notifications (
    id         UUID PRIMARY KEY,
    kind       TEXT NOT NULL CHECK (kind IN ('question', 'plan', 'blocked', 'review')),
    build_id   UUID NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    -- The item of the inbox that it is about.
    item       TEXT NOT NULL UNIQUE,
    text       TEXT,
    decision   TEXT,
    -- Who caused it; they are not told.
    actor_id   UUID,
    created_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE webhooks (
    id            UUID PRIMARY KEY,
    -- Null for all projects of the installation.
    project_id    UUID REFERENCES projects (id) ON DELETE CASCADE,
    url           TEXT NOT NULL,
    sealed_secret TEXT NOT NULL,
    -- A JSON array.
    kinds         TEXT NOT NULL,
    created_by    UUID NOT NULL REFERENCES users (id),
    created_at    TIMESTAMPTZ NOT NULL,
    failing_since TIMESTAMPTZ,
    disabled_at   TIMESTAMPTZ
);
CREATE INDEX webhooks_by_project ON webhooks (project_id, id);

-- To a webhook, or by email to a user.
CREATE TABLE deliveries (
    id              UUID PRIMARY KEY,
    notification_id UUID NOT NULL,
    webhook_id      UUID REFERENCES webhooks (id) ON DELETE CASCADE,
    user_id         UUID REFERENCES users (id) ON DELETE CASCADE,
    title           TEXT NOT NULL,
    body            TEXT NOT NULL,
    status          TEXT NOT NULL CHECK (status IN ('waiting', 'delivered', 'failed')),
    attempts        BIGINT NOT NULL,
    run_after       TIMESTAMPTZ NOT NULL,
    attempted_at    TIMESTAMPTZ,
    failure         TEXT,
    created_at      TIMESTAMPTZ NOT NULL,
    UNIQUE (notification_id, webhook_id),
    UNIQUE (notification_id, user_id)
);
CREATE INDEX deliveries_due ON deliveries (run_after) WHERE status = 'waiting';
CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, id);
CREATE INDEX deliveries_by_user ON deliveries (user_id);
CREATE INDEX deliveries_by_time ON deliveries (created_at);

-- Which kinds a user receives by email; a JSON array.
CREATE TABLE email_preferences (
    user_id UUID PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    kinds   TEXT NOT NULL
);

-- The server that sends email: one row.
CREATE TABLE smtp_settings (
    id              BIGINT PRIMARY KEY CHECK (id = 1),
    settings        TEXT NOT NULL,
    sealed_password TEXT,
    updated_at      TIMESTAMPTZ NOT NULL
);
