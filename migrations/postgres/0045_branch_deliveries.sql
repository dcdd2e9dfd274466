-- Deliveries of sealed builds to the remotes of their projects: a queue.
CREATE TABLE branch_deliveries (
    id               UUID PRIMARY KEY,
    build_id         UUID NOT NULL UNIQUE REFERENCES builds (id) ON DELETE CASCADE,
    -- Null if the seal requested it.
    requested_by     UUID REFERENCES users (id),
    status           TEXT NOT NULL CHECK (status IN ('queued', 'claimed', 'done')),
    state            TEXT NOT NULL CHECK (state IN ('waiting', 'pushing', 'opening', 'delivered', 'no_pr', 'failed', 'no_remote')),
    owner            TEXT,
    fence            BIGINT NOT NULL DEFAULT 0,
    lease_expires_at TIMESTAMPTZ,
    run_after        TIMESTAMPTZ NOT NULL,
    -- Failed attempts since it was last requested.
    attempts         BIGINT NOT NULL DEFAULT 0,
    failure          TEXT,
    -- What the forge did not accept of a pull request that exists.
    note             TEXT,
    pr_number        BIGINT,
    pr_url           TEXT,
    pr_state         TEXT CHECK (pr_state IN ('open', 'merged', 'closed')),
    pr_draft         BOOLEAN NOT NULL DEFAULT FALSE,
    checks_passed    BIGINT NOT NULL DEFAULT 0,
    checks_failed    BIGINT NOT NULL DEFAULT 0,
    checks_pending   BIGINT NOT NULL DEFAULT 0,
    -- When the pull request was last read.
    read_at          TIMESTAMPTZ,
    created_at       TIMESTAMPTZ NOT NULL,
    updated_at       TIMESTAMPTZ NOT NULL,
    delivered_at     TIMESTAMPTZ,
    CHECK (state <> 'delivered' OR (pr_url IS NOT NULL AND delivered_at IS NOT NULL))
);
CREATE INDEX branch_deliveries_due ON branch_deliveries (run_after) WHERE status = 'queued' OR status = 'claimed';
