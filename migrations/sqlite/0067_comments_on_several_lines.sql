-- The first of the lines that a review comment is on, if there are several.
ALTER TABLE review_comments ADD COLUMN first_line INTEGER;
