"""Texts that PostgreSQL keeps: it takes no NUL, and a stranger's answer may have one."""

from typing import Final

from psycopg.adapt import Buffer, Loader
from psycopg.types.string import StrDumper

# Of the private use, so that nobody has it.
_ESCAPE: Final = "\U000f0000"
_ESCAPE_BYTES: Final = _ESCAPE.encode()


def needs_escape(text: bytes) -> bool:
    """Tell whether a text without NUL must be escaped nevertheless."""
    return _ESCAPE_BYTES in text


def escaped(text: str) -> str:
    """Return a text without NUL that tells where there was one."""
    if "\0" in text or _ESCAPE in text:
        return text.replace(_ESCAPE, f"{_ESCAPE}1").replace("\0", f"{_ESCAPE}0")
    return text


class TextDumper(StrDumper):
    """Writes a text."""

    def dump(self, obj: str) -> Buffer | None:
        """Return what PostgreSQL is given."""
        return super().dump(escaped(obj))


class TextLoader(Loader):
    """The other way round, for the columns that may hold it."""

    def load(self, data: Buffer) -> str:
        """Return the text it was."""
        text = bytes(data).decode()
        if _ESCAPE in text:
            text = text.replace(f"{_ESCAPE}0", "\0").replace(f"{_ESCAPE}1", _ESCAPE)
        return text
