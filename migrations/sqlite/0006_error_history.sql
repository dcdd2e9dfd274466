-- The same error in other builds is found by its fingerprint.
CREATE INDEX build_errors_by_fingerprint ON build_errors (fingerprint, build_id);
