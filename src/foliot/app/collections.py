"""Job collections: list, show, save, enable or disable, delete."""

from collections.abc import Callable, Sequence
from functools import partial

from msgspec import structs

from foliot.app.change_log import log_change
from foliot.app.collection_changes import (
    ReviseCollection,
    delete_collection,
    prepare_change,
    put_collection,
)
from foliot.app.listing_page import Page
from foliot.app.lookup import check_may_change, check_sight_of_group, find_collection
from foliot.app.write_and_wake import write_and_wake
from foliot.core.access import Principal
from foliot.core.errors import CollectionNotFound
from foliot.core.ids import CollectionKey
from foliot.core.model.collection import Collection, CollectionState
from foliot.ports.clock import Clock
from foliot.ports.store import Reading, Store, Transaction

CollectionPage = Page[tuple[str, str]]


class Collections:
    """What a caller can do with job collections."""

    def __init__(self, store: Store, clock: Clock, wake_engine: Callable[[], None]) -> None:
        self._store = store
        self._clock = clock
        self._wake_engine = wake_engine

    async def list_collections(
        self, who: Principal, subscription: str, group: str | None, page: CollectionPage
    ) -> Sequence[Collection]:
        """Return a page of the collections of a subscription, or of a group, within scope."""
        check_sight_of_group(who, subscription, group)
        scope = who.scope
        if scope.group is not None and scope.collection is not None:
            return await self._one_collection(
                CollectionKey(subscription, scope.group, scope.collection), page
            )

        def view(reading: Reading) -> Sequence[Collection]:
            return reading.collections(
                subscription,
                group or scope.group,
                after=page.after,
                skip=page.skip,
                limit=page.limit,
            )

        return await self._store.browse(view)

    async def _one_collection(
        self, key: CollectionKey, page: CollectionPage
    ) -> Sequence[Collection]:
        found = await self._store.read(lambda reading: reading.collection(key))
        return [] if found is None or page.skip or page.after else [found]

    async def get_collection(self, who: Principal, key: CollectionKey) -> Collection:
        """Return a collection."""
        return await self._store.read(partial(find_collection, who=who, key=key))

    async def save_collection(
        self, who: Principal, key: CollectionKey, revise: ReviseCollection, *, must_exist: bool
    ) -> tuple[Collection, bool]:
        """Create or change a collection; return it, and whether it is new."""
        check_may_change(who, key)
        prepared = await prepare_change(self._store, who, key, revise, self._clock.now())

        def change(transaction: Transaction) -> tuple[Collection, bool]:
            old, made = transaction.collection(key), who.changing_at(self._clock.now())
            if old is None and must_exist:
                raise CollectionNotFound(key.name, key.group)
            return put_collection(transaction, old, revise(old), prepared, made)

        saved, is_new = await write_and_wake(self._store, change, self._wake_engine)
        event = "Collection created" if is_new else "Collection updated"
        log_change(event, saved.key, state=saved.state.value)
        return saved, is_new

    async def set_collection_state(
        self, who: Principal, key: CollectionKey, state: CollectionState
    ) -> None:
        """Enable or disable a collection."""
        await self.save_collection(
            who, key, lambda old: structs.replace(_existing(old), state=state), must_exist=True
        )

    async def delete_collection(self, who: Principal, key: CollectionKey) -> None:
        """Remove a collection with its jobs and their history."""

        def change(transaction: Transaction) -> None:
            found = find_collection(transaction, who, key)
            delete_collection(transaction, found, who.changing_at(self._clock.now()))

        check_may_change(who, key)
        await write_and_wake(self._store, change, self._wake_engine)
        log_change("Collection deleted", key)


def _existing(collection: Collection | None) -> Collection:
    assert collection is not None  # noqa: S101  (with must_exist a revision always gets one)
    return collection
