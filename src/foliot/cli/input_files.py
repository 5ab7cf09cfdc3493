"""Reads files that people name: of bounded size, `-` is the standard input."""

import sys
from pathlib import Path

from foliot.client.errors import ClientError

MAX_BYTES = 8 * 1024 * 1024


def read_input(name: str, most: int = MAX_BYTES) -> bytes:
    """Return the content of a file, or refuse it: what was cut off would lose something."""
    try:
        if name == "-":
            content = sys.stdin.buffer.read(most + 1)
        else:
            with Path(name).open("rb") as file:
                content = file.read(most + 1)
    except OSError as error:
        raise ClientError(f"cannot read {input_name(name)}: {error.strerror}.") from None
    except ValueError:
        raise ClientError("cannot read a file whose name holds a NUL character.") from None
    if len(content) > most:
        raise ClientError(f"{input_name(name)} has more than {most} bytes; split it.")
    return content


def input_name(name: str) -> str:
    """Return what messages call a file."""
    return "standard input" if name == "-" else name


def is_directory(name: str) -> bool:
    """Tell whether a name is that of a directory; refuse one that cannot even be looked at."""
    try:
        return Path(name).is_dir()
    except OSError as error:
        raise ClientError(f"cannot read {name}: {error.strerror}.") from None
