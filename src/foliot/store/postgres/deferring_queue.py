"""A queue of requests in which those that can wait let others go first.

A transaction of PostgreSQL takes a millisecond or two, however little is in it. Outcomes can wait
for others that share theirs, but a claim must not wait for them: it takes a transaction of its own,
and they follow it.
"""

from queue import Empty

from foliot.store.work_queue import WorkQueue, WorkRequest


class DeferringQueue(WorkQueue):
    """Requests in order, except that one that can wait lets the next batch go first.

    It waits `gather_seconds` for that batch. It never waits for a second one.
    """

    def __init__(self, batch_limit: int, gather_seconds: float) -> None:
        super().__init__(batch_limit, gather_seconds)
        self._deferred: list[WorkRequest] = []

    def take(self) -> list[WorkRequest]:
        """Return the requests that wait; block until there is one; none when closed."""
        batch = self._take_deferred()
        while len(batch) < self._batch_limit:
            try:
                request = self._next(is_first=not batch)
            except Empty:
                break
            if request is None:
                # The end marker stays in the queue: the thread must find it again.
                self._waiting.put(None)
                return batch + self._take_deferred()
            can_wait = request.can_wait and self._gather_seconds > 0
            (self._deferred if can_wait else batch).append(request)
        return batch or self._take_deferred()

    def take_waiting(self) -> list[WorkRequest]:
        """Return the requests that wait, if any, without blocking and without a limit."""
        return self._take_deferred() + super().take_waiting()

    def _next(self, *, is_first: bool) -> WorkRequest | None:
        """Return the next request, and wait for the first one: not for ever if one is deferred."""
        if not is_first:
            return self._waiting.get_nowait()
        return self._waiting.get(timeout=self._gather_seconds if self._deferred else None)

    def _take_deferred(self) -> list[WorkRequest]:
        deferred, self._deferred = self._deferred, []
        return deferred
