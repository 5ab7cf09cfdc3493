-- What failed of late. Only failures are in it, so that an attempt that goes well costs nothing.

CREATE INDEX history_failed ON history (started_at) WHERE status = 'failed';
