-- Sign-ins of devices without a browser, until a user has decided and the device has its key.
CREATE TABLE device_sign_ins (
    -- Of the code that only the device has.
    code_hash       TEXT PRIMARY KEY,
    -- The letters that the user enters in a browser.
    user_code       TEXT NOT NULL UNIQUE,
    device_name     TEXT NOT NULL,
    -- From where it was requested.
    address         TEXT NOT NULL,
    -- Scopes of the key, separated by spaces; null for full access.
    scopes          TEXT,
    status          TEXT NOT NULL CHECK (status IN ('waiting', 'approved', 'denied')),
    -- Who approved it, and how long the key is valid.
    user_id         TEXT REFERENCES users (id) ON DELETE CASCADE,
    expires_in_days INTEGER,
    created_at      INTEGER NOT NULL,
    polled_at       INTEGER,
    expires_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX device_sign_ins_by_expiry ON device_sign_ins (expires_at);
