-- What a user wants to be changed when contracts are regenerated.
ALTER TABLE generations ADD COLUMN note TEXT;
