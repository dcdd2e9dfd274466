-- Questions about builds, which a model answers. Each is a generation; a project can have several at a time.
DROP INDEX generations_by_project;
DROP INDEX generations_one_unfinished;
ALTER TABLE generations RENAME COLUMN kind TO old_kind;
ALTER TABLE generations ADD COLUMN kind TEXT NOT NULL DEFAULT 'contracts'
    CHECK (kind IN ('contracts', 'answers', 'build_question'));
UPDATE generations SET kind = old_kind;
ALTER TABLE generations DROP COLUMN old_kind;
CREATE INDEX generations_by_project ON generations (project_id, kind, id);
CREATE UNIQUE INDEX generations_one_unfinished ON generations (project_id, kind)
    WHERE (status = 'queued' OR status = 'running') AND kind <> 'build_question';

CREATE TABLE build_questions (
    generation_id     TEXT PRIMARY KEY REFERENCES generations (id) ON DELETE CASCADE,
    build_id          TEXT NOT NULL REFERENCES builds (id) ON DELETE CASCADE,
    question          TEXT NOT NULL,
    answer            TEXT,
    answer_references TEXT NOT NULL DEFAULT '[]'
) STRICT;
CREATE INDEX build_questions_by_build ON build_questions (build_id, generation_id);
