-- Providers with which users sign in, the users of them that are linked to accounts, and sign-ins that
-- are not finished.
CREATE TABLE sign_in_providers (
    id              TEXT PRIMARY KEY,
    name            TEXT NOT NULL UNIQUE,
    kind            TEXT NOT NULL CHECK (kind IN ('oidc', 'github')),
    -- Of GitHub: the address of the server.
    issuer_url      TEXT NOT NULL,
    client_id       TEXT NOT NULL,
    -- Base64 of nonce, ciphertext and tag.
    sealed_secret   TEXT NOT NULL,
    enabled         INTEGER NOT NULL,
    first_sign_in   TEXT NOT NULL CHECK (first_sign_in IN ('invited', 'domains', 'anyone')),
    -- A JSON list.
    allowed_domains TEXT NOT NULL,
    -- Null if roles are not taken from the provider.
    role_claim      TEXT,
    admin_value     TEXT,
    created_by      TEXT NOT NULL REFERENCES users (id),
    created_at      INTEGER NOT NULL,
    CHECK ((role_claim IS NULL) = (admin_value IS NULL))
) STRICT;

CREATE TABLE identities (
    id           TEXT PRIMARY KEY,
    provider_id  TEXT NOT NULL REFERENCES sign_in_providers (id) ON DELETE CASCADE,
    -- The provider's own id of the person.
    subject      TEXT NOT NULL,
    user_id      TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- As the provider named it at the last sign-in.
    email        TEXT,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER,
    UNIQUE (provider_id, subject)
) STRICT;
CREATE INDEX identities_by_user ON identities (user_id);

CREATE TABLE pending_sign_ins (
    state_hash      TEXT PRIMARY KEY,
    -- Of the cookie of the browser that started it.
    browser_hash    TEXT NOT NULL,
    provider_id     TEXT NOT NULL REFERENCES sign_in_providers (id) ON DELETE CASCADE,
    redirect_url    TEXT NOT NULL,
    return_to       TEXT NOT NULL,
    -- The invitation that it accepts.
    invitation_hash TEXT,
    -- The session whose user links the provider.
    session_id      TEXT REFERENCES sessions (id) ON DELETE CASCADE,
    expires_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX pending_sign_ins_by_expiry ON pending_sign_ins (expires_at);
