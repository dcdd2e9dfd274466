-- The speed of demo builds whose owners changed it.
CREATE TABLE demo_speeds (
    build_id TEXT PRIMARY KEY REFERENCES builds (id) ON DELETE CASCADE,
    speed TEXT NOT NULL
) STRICT;
