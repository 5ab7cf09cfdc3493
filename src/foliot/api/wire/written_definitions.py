"""Definitions as JSON, kept for the next answer: clients list the same jobs again and again.

The store keeps the definitions that it has decrypted and returns the same values again, so one is
known by its identity here. What is kept are the bytes of an answer, which has no secrets.
"""

from collections.abc import Callable, Mapping

from msgspec import Raw, json

from foliot.api.wire.clients import WireClient
from foliot.api.wire.json_reader import Json
from foliot.core.model.job import Definition

_MOST = 4096


class WrittenDefinitions:
    """The definitions that were written last, each property as JSON."""

    def __init__(
        self, encode: Callable[[Definition, WireClient], dict[str, Json]], most: int = _MOST
    ) -> None:
        self._encode = encode
        self._most = most
        # The definition is kept as well, so that no other one gets its identity.
        self._kept: dict[tuple[int, WireClient], tuple[Definition, Mapping[str, Raw]]] = {}

    def written(self, definition: Definition, client: WireClient) -> Mapping[str, Raw]:
        """Return the properties of a definition as JSON."""
        identity = (id(definition), client)
        found = self._kept.get(identity)
        if found is None:
            properties = self._encode(definition, client)
            found = definition, {name: Raw(json.encode(each)) for name, each in properties.items()}
            self._kept[identity] = found
            if len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]
        return found[1]
