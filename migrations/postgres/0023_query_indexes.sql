-- Events of a type, as read by reports and lists; and indexes and columns that are not used.
CREATE INDEX build_events_by_type ON build_events (build_id, type, seq);
DROP INDEX agent_messages_by_build;
DROP INDEX clarifications_open;
DROP INDEX clarifications_waiting;
ALTER TABLE work_items DROP COLUMN last_verdict;
ALTER TABLE work_items DROP COLUMN last_feedback;
