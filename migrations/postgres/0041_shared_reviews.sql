-- A suggested edit that the owner accepted: the follow-up commits it before its work starts.
ALTER TABLE review_comments ADD COLUMN suggestion_accepted_at TIMESTAMPTZ;
ALTER TABLE review_comments ADD COLUMN suggestion_accepted_by UUID REFERENCES users (id);

-- Files of a diff that a user has viewed, with the content that they saw.
CREATE TABLE viewed_files (
    user_id    UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    build_id   UUID NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    path       TEXT NOT NULL,
    content_id TEXT NOT NULL,
    PRIMARY KEY (user_id, build_id, path)
);
CREATE INDEX viewed_files_by_build ON viewed_files (build_id);
