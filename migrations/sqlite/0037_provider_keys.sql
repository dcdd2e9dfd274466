-- Keys and addresses of model providers that administrators set in the app.
CREATE TABLE provider_keys (
    provider   TEXT PRIMARY KEY CHECK (provider IN ('anthropic', 'openai')),
    -- Base64 of nonce, ciphertext and tag; null for an address without a key.
    sealed_key TEXT,
    last_four  TEXT,
    base_url   TEXT,
    set_by     TEXT NOT NULL REFERENCES users (id),
    set_at     INTEGER NOT NULL
) STRICT;
