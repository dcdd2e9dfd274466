-- The fencing token of a lease; a generation is a generation of contracts.
ALTER TABLE work_items RENAME COLUMN generation TO fence;
