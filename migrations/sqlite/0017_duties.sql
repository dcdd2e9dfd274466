-- Who gave an account its rights or its password link, and when; and whether a link ends keys.
ALTER TABLE users ADD COLUMN granted_by TEXT REFERENCES users (id);
ALTER TABLE users ADD COLUMN granted_at INTEGER;
ALTER TABLE invitations ADD COLUMN created_by TEXT REFERENCES users (id);
ALTER TABLE invitations ADD COLUMN revoke_keys INTEGER NOT NULL DEFAULT TRUE;
