"""Reads files of jobs, and the values of their placeholders."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from foliot.client.errors import ClientError
from foliot.client.job_documents import DeclaredJob, TextOfFile
from foliot.client.placeholders import MissingValues, fill_placeholders
from foliot.core.errors import Invalid, path_text

_SUFFIXES = (".yaml", ".yml", ".json")
_MAX_FILE = 8 * 1024 * 1024
_MOST_TOLD = 20


def read_files(names: Sequence[str]) -> list[TextOfFile]:
    """Read files, all files of directories below these names, or the standard input for `-`."""
    found: dict[str, TextOfFile] = {}
    for name in names:
        for path in _paths(name):
            # A file that is named twice is read once.
            found.setdefault(os.path.realpath(path), _read(path))
    return list(found.values())


def _paths(name: str) -> list[str]:
    place = Path(name)
    if name == "-" or not place.is_dir():
        return [name]
    below = [
        path
        for path in sorted(place.rglob("*"))
        if path.suffix.lower() in _SUFFIXES
        and path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(place).parts)
    ]
    if not below:
        raise ClientError(f"{name} has no files that end with {', '.join(_SUFFIXES)}.")
    return [str(path) for path in below]


def _read(name: str) -> TextOfFile:
    if name == "-":
        return TextOfFile("standard input", _limited(sys.stdin.buffer.read(_MAX_FILE + 1), name))
    return TextOfFile(name, read_bytes(name), str(Path(name).parent))


def read_bytes(name: str) -> bytes:
    """Return the content of a file of bounded size."""
    try:
        with Path(name).open("rb") as file:
            return _limited(file.read(_MAX_FILE + 1), name)
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or "its name is not valid"
        raise ClientError(f"cannot read {name}: {said}.") from None


def _limited(content: bytes, name: str) -> bytes:
    if len(content) > _MAX_FILE:
        raise ClientError(f"{name} has more than {_MAX_FILE} bytes; split it.")
    return content


def fill_in_values(jobs: Sequence[DeclaredJob]) -> list[Any]:
    """Return properties with the values of their placeholders, or name all that are missing."""
    found: list[Any] = []
    missing: list[str] = []
    for job in jobs:
        directory = Path(job.directory)
        try:
            found.append(fill_placeholders(job.properties, _finder(directory)))
        except MissingValues as error:
            missing += [f"{_place(job, path)}: {_missing(text)}" for path, text in error.missing]
        except Invalid as refusal:
            raise Invalid((), f"{_place(job, refusal.path)}: {refusal.problem}") from None
    if missing:
        more = len(missing) - _MOST_TOLD
        rest = [f"and {more} more"] if more > 0 else []
        raise Invalid((), "; ".join([*missing[:_MOST_TOLD], *rest]) + ".")
    return found


def _finder(directory: Path) -> Any:
    def find(kind: str, name: str) -> str | None:
        if kind == "env":
            return os.environ.get(name)
        try:
            content = read_bytes(str(directory / name)).decode("utf-8-sig")
        except ClientError:
            return None
        except UnicodeDecodeError:
            problem = f"${{file:{name}}} is not UTF-8 text; give a certificate in base64."
            raise Invalid((), problem) from None
        # An editor ends the last line; a secret has no line break at its end.
        return content.removesuffix("\n").removesuffix("\r")

    return find


def _place(job: DeclaredJob, path: Any) -> str:
    where = f"{job.origin}, {job.kind} {job.name}"
    return f"{where}: {path_text(path)}" if path else where


def _missing(placeholder: str) -> str:
    kind, _, name = placeholder[2:-1].partition(":")
    if kind == "env":
        return f"{placeholder} has no value, set the variable {name}"
    return f"{placeholder} has no value, the file {name} cannot be read"
