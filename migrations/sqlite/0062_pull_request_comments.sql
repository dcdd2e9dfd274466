-- The review comments of a pull request as they were last read: a JSON array.
ALTER TABLE branch_deliveries ADD COLUMN pr_comments TEXT NOT NULL DEFAULT '[]';
