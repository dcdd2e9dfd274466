-- Whether several of a question's options may be chosen.
ALTER TABLE clarifications ADD COLUMN multiple BOOLEAN NOT NULL DEFAULT FALSE;
