-- The queue of each alert and destination, by which a node finds what it sends next.
CREATE INDEX notification_queue ON notification (alert_id, destination, due_at)
    WHERE state = 'waiting';
