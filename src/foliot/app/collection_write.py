"""What changes inside a collection need: the transaction, the collection, and who makes them."""

from typing import NamedTuple

from foliot.core.model.change import Change
from foliot.core.model.collection import Collection
from foliot.ports.store import Transaction


class CollectionWrite(NamedTuple):
    """A transaction that changes something of a collection; when, and by whom."""

    transaction: Transaction
    collection: Collection
    change: Change
