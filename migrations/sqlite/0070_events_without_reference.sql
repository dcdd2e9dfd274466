-- Only PostgreSQL pays for the reference with a query for each event.
SELECT 1;
