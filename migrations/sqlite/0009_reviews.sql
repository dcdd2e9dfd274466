-- What people decide about sealed builds, what they say about single lines, and who did what.
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
) STRICT;
CREATE INDEX review_comments_by_build ON review_comments (build_id, id);

-- Names instead of references: an entry stays as it was written.
CREATE TABLE audit_log (
    seq        INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL,
    actor_id   TEXT,
    actor_name TEXT NOT NULL,
    action     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    detail     TEXT NOT NULL
) STRICT;
CREATE INDEX audit_log_by_action ON audit_log (action, seq);
CREATE INDEX audit_log_by_actor ON audit_log (actor_id, seq);
