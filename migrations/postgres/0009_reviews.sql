-- What people decide about sealed builds, what they say about single lines, and who did what.
CREATE TABLE reviews (
    id          UUID PRIMARY KEY,
    build_id    UUID NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    number      BIGINT NOT NULL,
    reviewer_id UUID NOT NULL REFERENCES users (id),
    decision    TEXT NOT NULL CHECK (decision IN ('approved', 'changes_requested')),
    reason      TEXT NOT NULL,
    created_at  TIMESTAMPTZ NOT NULL,
    UNIQUE (build_id, number)
);

CREATE TABLE review_comments (
    id          UUID PRIMARY KEY,
    build_id    UUID NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    author_id   UUID NOT NULL REFERENCES users (id),
    path        TEXT NOT NULL,
    side        TEXT NOT NULL CHECK (side IN ('old', 'new')),
    line        BIGINT NOT NULL,
    line_text   TEXT NOT NULL,
    text        TEXT NOT NULL,
    parent_id   UUID REFERENCES review_comments (id),
    created_at  TIMESTAMPTZ NOT NULL,
    resolved_at TIMESTAMPTZ,
    resolved_by UUID REFERENCES users (id)
);
CREATE INDEX review_comments_by_build ON review_comments (build_id, id);

-- Names instead of references: an entry stays as it was written.
CREATE TABLE audit_log (
    seq        BIGINT PRIMARY KEY,
    at         TIMESTAMPTZ NOT NULL,
    actor_id   UUID,
    actor_name TEXT NOT NULL,
    action     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    detail     TEXT NOT NULL
);
CREATE INDEX audit_log_by_action ON audit_log (action, seq);
CREATE INDEX audit_log_by_actor ON audit_log (actor_id, seq);
