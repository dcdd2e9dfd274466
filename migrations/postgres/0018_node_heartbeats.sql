-- When each node last wrote: readiness is proven by a write.
CREATE TABLE node_heartbeats (
    node TEXT PRIMARY KEY,
    written_at TIMESTAMPTZ NOT NULL
);
