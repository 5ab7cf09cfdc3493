"""Texts with NUL characters, which PostgreSQL refuses and a response may contain."""

from typing import Final

from psycopg.adapt import Buffer, Loader
from psycopg.types.string import StrDumper

# A character of a private use area, so that texts hardly ever contain it.
_ESCAPE: Final = "\U000f0000"
_ESCAPE_BYTES: Final = _ESCAPE.encode()


def needs_escape(text: bytes) -> bool:
    """Tell whether a text without NUL must be escaped nevertheless."""
    return _ESCAPE_BYTES in text


def escaped(text: str) -> str:
    """Return a text in which each NUL is escaped."""
    if "\0" in text or _ESCAPE in text:
        return text.replace(_ESCAPE, f"{_ESCAPE}1").replace("\0", f"{_ESCAPE}0")
    return text


class TextDumper(StrDumper):
    """Writes a text, escaped."""

    def dump(self, obj: str) -> Buffer | None:
        """Return the bytes that are sent."""
        return super().dump(escaped(obj))


class TextLoader(Loader):
    """Reads a text of a column that may be escaped."""

    def load(self, data: Buffer) -> str:
        """Return the text as it was."""
        text = bytes(data).decode()
        if _ESCAPE in text:
            text = text.replace(f"{_ESCAPE}0", "\0").replace(f"{_ESCAPE}1", _ESCAPE)
        return text
