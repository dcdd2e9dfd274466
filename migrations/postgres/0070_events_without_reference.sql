-- The journal inserts events only while it holds the lock of their build's row, and builds are never
-- deleted. PostgreSQL would look the row up once more for each event.
ALTER TABLE build_events DROP CONSTRAINT build_events_build_id_fkey;
