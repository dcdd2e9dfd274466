-- Each entry of the audit log carries a hash over itself and the entry before. Entries of earlier
-- versions have none: the first entry that has one covers them.
ALTER TABLE audit_log ADD COLUMN hash TEXT;
CREATE INDEX audit_log_by_subject ON audit_log (subject, seq);
