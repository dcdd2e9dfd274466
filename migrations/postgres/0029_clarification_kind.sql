-- What a question is about: an agent's question, a permission, an assumption, or what users confirm before the seal.
ALTER TABLE clarifications ADD COLUMN kind TEXT NOT NULL DEFAULT 'question'
    CHECK (kind IN ('question', 'permission', 'assumption', 'confirmation'));
UPDATE clarifications SET kind = 'permission' WHERE EXISTS (SELECT 1 FROM build_events
    WHERE build_events.build_id = clarifications.build_id
    AND build_events.seq = clarifications.asked_seq
    AND body LIKE '%,"kind":"permission","question":%');
