-- Whether a delivery was requested since its worker claimed it.
ALTER TABLE branch_deliveries ADD COLUMN again BOOLEAN NOT NULL DEFAULT FALSE;
