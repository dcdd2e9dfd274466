-- Where a question and its answer stand in the journal, and which contract was read before it was asked.
ALTER TABLE clarifications ADD COLUMN asked_seq BIGINT;
ALTER TABLE clarifications ADD COLUMN resolved_seq BIGINT;
ALTER TABLE clarifications ADD COLUMN contract TEXT;
UPDATE clarifications SET asked_seq = (SELECT MIN(seq) FROM build_events
    WHERE build_events.build_id = clarifications.build_id
    AND type = 'build_clarification_request'
    AND body LIKE '%"question_id":"' || CAST(clarifications.id AS TEXT) || '"%');
UPDATE clarifications SET resolved_seq = (SELECT MIN(seq) FROM build_events
    WHERE build_events.build_id = clarifications.build_id
    AND type = 'build_clarification_resolved'
    AND body LIKE '%"question_id":"' || CAST(clarifications.id AS TEXT) || '"%')
    WHERE status <> 'open';
CREATE INDEX clarifications_waiting ON clarifications (status, build_id);

-- Where an error stands in the journal for the first time.
ALTER TABLE build_errors ADD COLUMN first_seq BIGINT;
