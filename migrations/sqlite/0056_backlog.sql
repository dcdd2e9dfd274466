-- Backlogs of projects. The row of a project is also its place in the queue of what starts items.
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

-- The build of an item is recorded in the transaction that opens it, before the row of the build.
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
