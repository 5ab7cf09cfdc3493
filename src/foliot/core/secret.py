"""A value that must never be shown: not in an answer, a log line, an error or a traceback."""

from msgspec import Struct


class Secret(Struct, frozen=True):
    """A secret; `reveal` is called only where it is sealed or sent to where it belongs."""

    value: str

    def __repr__(self) -> str:
        return "Secret(...)"

    __str__ = __repr__

    def reveal(self) -> str:
        """Return the secret itself."""
        return self.value
