-- One-time links by which people set their password, and keys that only read.
CREATE TABLE invitations (
    token_hash TEXT PRIMARY KEY,
    user_id    TEXT NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

ALTER TABLE forge_keys ADD COLUMN read_only INTEGER NOT NULL DEFAULT FALSE;
