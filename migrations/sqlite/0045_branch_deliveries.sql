-- Deliveries of sealed builds to the remotes of their projects: a queue.
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
    delivered_at     INTEGER,
    CHECK (state <> 'delivered' OR (pr_url IS NOT NULL AND delivered_at IS NOT NULL))
) STRICT;
CREATE INDEX branch_deliveries_due ON branch_deliveries (run_after) WHERE status = 'queued' OR status = 'claimed';
