-- What administrators set for all projects: one row, as JSON.
CREATE TABLE installation_settings (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    settings   TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
