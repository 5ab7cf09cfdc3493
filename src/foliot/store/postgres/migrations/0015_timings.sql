-- How long the steps of an attempt's last request took, in microseconds with commas between them:
-- name lookup, connect, TLS, first byte, total. NULL for attempts without a request, for messages over
-- AMQP, and for those of an older version.
ALTER TABLE history ADD COLUMN timings text;
