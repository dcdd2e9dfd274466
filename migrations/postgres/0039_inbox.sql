-- What each user has read in the inbox, which is derived from other tables, and the indexes that it uses.
CREATE TABLE inbox_reads (
    user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    item    TEXT NOT NULL,
    read_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (user_id, item)
);
CREATE INDEX clarifications_open ON clarifications (build_id) WHERE status = 'open';
CREATE INDEX reviews_by_time ON reviews (created_at);
CREATE INDEX seals_by_time ON seals (sealed_at);

-- Entries of the audit log in a period.
CREATE INDEX audit_log_by_time ON audit_log (at, seq);
