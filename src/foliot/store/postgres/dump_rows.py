"""Reads the rows of a table in a dump, one after the other, with PostgreSQL's own program."""

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryFile
from typing import Final

from foliot.store.errors import StoreError

_COPY: Final = re.compile(r"COPY \S+ \((.*)\) FROM stdin;\n")
_END: Final = "\\.\n"
_NULL: Final = "\\N"
_ESCAPED: Final = re.compile(r"\\(.)")
# As COPY writes characters that would end a value or a row; all others stand for themselves.
_CHARACTERS: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_MAX_SAID: Final = 300

DumpRow = Mapping[str, str | None]


def rows_of(path: Path, table: str) -> Iterator[DumpRow]:
    """Return the rows of a table by the names of their columns, as text."""
    program = shutil.which("pg_restore")
    if program is None:
        raise StoreError("pg_restore is not on the PATH. Install PostgreSQL's client programs.")
    command = [program, "--data-only", f"--table={table}", "--file=-", str(path)]
    with (
        TemporaryFile("w+", encoding="utf-8", errors="replace") as said,
        subprocess.Popen(  # noqa: S603  (PostgreSQL's own)
            command, stdout=subprocess.PIPE, stderr=said, encoding="utf-8"
        ) as process,
    ):
        columns, is_whole = None, False
        for line in process.stdout or ():
            if columns is None:
                begin = _COPY.fullmatch(line)
                columns = begin and begin[1].replace('"', "").split(", ")
            elif line == _END:
                is_whole = True
            elif not is_whole:
                yield dict(zip(columns, map(_value, line[:-1].split("\t")), strict=True))
        if process.wait():
            said.seek(0)
            raise StoreError(f"{path}: {failure('pg_restore', said.read(), [])}")
    if not is_whole:
        raise StoreError(f"{path} is no dump of a database of Foliot: it has no table {table}.")


def failure(program: str, words: str, secrets: list[str]) -> str:
    """Return why a program has failed, from what it has written."""
    lines = [line for line in words.splitlines() if line.strip()]
    # The first line has the error, the others repeat the statement or give hints.
    said = (lines or ["it has said nothing"])[0].removeprefix(f"{program}: ")
    for secret in secrets:
        said = said.replace(secret, "...")
    return f"{program} has failed: {said.removeprefix('error: ')[:_MAX_SAID]}."


def _value(text: str) -> str | None:
    if text == _NULL:
        return None
    if "\\" in text:
        text = _ESCAPED.sub(lambda found: _CHARACTERS.get(found[1], found[1]), text)
    return text
