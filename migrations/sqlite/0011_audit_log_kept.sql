-- Nobody changes the audit log, not even with the database in their hands and a slip of them.
CREATE TRIGGER audit_log_not_updated BEFORE UPDATE ON audit_log
BEGIN
    SELECT RAISE(ABORT, 'the audit log is never changed');
END;
CREATE TRIGGER audit_log_not_deleted BEFORE DELETE ON audit_log
BEGIN
    SELECT RAISE(ABORT, 'the audit log is never changed');
END;
-- `INSERT OR REPLACE` removes the old row without asking the trigger above.
CREATE TRIGGER audit_log_not_replaced BEFORE INSERT ON audit_log
    WHEN EXISTS (SELECT 1 FROM audit_log WHERE seq = NEW.seq)
BEGIN
    SELECT RAISE(ABORT, 'the audit log is never changed');
END;
