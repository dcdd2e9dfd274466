-- Accounts without a password that anybody knows, which sign in with a provider only.
ALTER TABLE users ADD COLUMN has_password INTEGER NOT NULL DEFAULT TRUE;
