-- Whether several of a question's options may be chosen.
ALTER TABLE clarifications ADD COLUMN multiple INTEGER NOT NULL DEFAULT FALSE;
