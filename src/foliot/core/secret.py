"""A value that is never shown in a response, a log line, an error or a traceback."""

from msgspec import Struct


class Secret(Struct, frozen=True):
    """A secret; only code that seals it or sends it to its target calls `reveal`."""

    value: str

    def __repr__(self) -> str:
        return "Secret(...)"

    __str__ = __repr__

    def reveal(self) -> str:
        """Return the secret itself."""
        return self.value
