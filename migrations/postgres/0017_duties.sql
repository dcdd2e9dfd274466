-- Who gave an account its rights or its password link, and when; and whether a link ends keys.
ALTER TABLE users ADD COLUMN granted_by UUID REFERENCES users (id);
ALTER TABLE users ADD COLUMN granted_at TIMESTAMPTZ;
ALTER TABLE invitations ADD COLUMN created_by UUID REFERENCES users (id);
ALTER TABLE invitations ADD COLUMN revoke_keys BOOLEAN NOT NULL DEFAULT TRUE;
