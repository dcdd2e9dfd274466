-- What the build should change, in one line.
ALTER TABLE builds ADD COLUMN title TEXT;
