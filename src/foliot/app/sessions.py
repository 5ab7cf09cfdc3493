"""Portal sessions: sign out."""

from foliot.core.instant import Instant
from foliot.ports.store import Store


async def end_session(store: Store, digest: bytes, until: Instant, now: Instant) -> None:
    """End the session with this hash on all nodes; remembered until it would expire by itself."""
    await store.write(lambda transaction: transaction.end_session(digest, until, now))
