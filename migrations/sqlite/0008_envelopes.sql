-- The seal as others may check it: signed, as a DSSE envelope.
ALTER TABLE seals ADD COLUMN envelope TEXT;
