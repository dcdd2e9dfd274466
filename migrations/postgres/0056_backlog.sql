-- Backlogs of projects. The row of a project is also its place in the queue of what starts items.
CREATE TABLE backlogs (
    id               UUID PRIMARY KEY REFERENCES projects (id) ON DELETE CASCADE,
    item_count       BIGINT NOT NULL DEFAULT 0,
    status           TEXT NOT NULL CHECK (status IN ('queued', 'claimed', 'waiting')),
    changed          BOOLEAN NOT NULL DEFAULT FALSE,
    owner            TEXT,
    fence            BIGINT NOT NULL DEFAULT 0,
    lease_expires_at TIMESTAMPTZ,
    run_after        TIMESTAMPTZ NOT NULL
);
CREATE INDEX backlogs_due ON backlogs (run_after) WHERE status = 'queued';

-- The build of an item is recorded in the transaction that opens it, before the row of the build.
CREATE TABLE backlog_items (
    id                 UUID PRIMARY KEY,
    project_id         UUID NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    number             BIGINT NOT NULL,
    title              TEXT NOT NULL,
    description        TEXT NOT NULL,
    spec               TEXT,
    scope              TEXT NOT NULL,
    position           BIGINT NOT NULL,
    external_id        TEXT,
    created_by         UUID NOT NULL REFERENCES users (id),
    created_at         TIMESTAMPTZ NOT NULL,
    updated_at         TIMESTAMPTZ NOT NULL,
    start_requested_by UUID REFERENCES users (id),
    retry_at           TIMESTAMPTZ,
    start_error        TEXT,
    attempts           BIGINT NOT NULL DEFAULT 0,
    build_id           UUID,
    UNIQUE (project_id, number),
    UNIQUE (project_id, external_id)
);
CREATE INDEX backlog_items_by_position ON backlog_items (project_id, position);
CREATE INDEX backlog_items_by_build ON backlog_items (build_id);

CREATE TABLE backlog_dependencies (
    item_id    UUID NOT NULL REFERENCES backlog_items (id) ON DELETE CASCADE,
    depends_on UUID NOT NULL REFERENCES backlog_items (id) ON DELETE CASCADE,
    PRIMARY KEY (item_id, depends_on)
);
CREATE INDEX backlog_dependencies_by_target ON backlog_dependencies (depends_on);
