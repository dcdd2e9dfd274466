-- One-time links by which people set their password, and keys that only read.
CREATE TABLE invitations (
    token_hash TEXT PRIMARY KEY,
    user_id    UUID NOT NULL UNIQUE REFERENCES users (id) ON DELETE CASCADE,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL
);

ALTER TABLE forge_keys ADD COLUMN read_only BOOLEAN NOT NULL DEFAULT FALSE;
