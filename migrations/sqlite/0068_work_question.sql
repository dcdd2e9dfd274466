-- A question may also ask a user for the work of a phase.
ALTER TABLE clarifications RENAME COLUMN kind TO old_kind;
ALTER TABLE clarifications ADD COLUMN kind TEXT NOT NULL DEFAULT 'question'
    CHECK (kind IN ('question', 'permission', 'assumption', 'plan', 'work', 'confirmation'));
UPDATE clarifications SET kind = old_kind;
ALTER TABLE clarifications DROP COLUMN old_kind;
