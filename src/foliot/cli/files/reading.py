"""Reads files of jobs, and the values of their placeholders."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from foliot.cli.input_files import input_name, is_directory, read_input
from foliot.client.errors import ClientError
from foliot.client.job_documents import DeclaredJob, TextOfFile
from foliot.client.placeholders import MissingValues, fill_placeholders
from foliot.core.errors import Invalid, path_text

_SUFFIXES = (".yaml", ".yml", ".json")
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
    if name == "-" or not is_directory(name):
        return [name]
    below = sorted(_files_below(Path(name), set()))
    if not below:
        raise ClientError(f"{name} has no files that end with {', '.join(_SUFFIXES)}.")
    return [str(path) for path in below]


def _files_below(directory: Path, seen: set[str]) -> Iterator[Path]:
    """Go through the files below a directory; a link may lead to one that was seen.

    What cannot be read is refused: with --prune, jobs whose files were left out would be deleted.
    """
    real = os.path.realpath(directory)
    if real in seen:
        return
    seen.add(real)
    try:
        inside = [each for each in directory.iterdir() if not each.name.startswith(".")]
    except OSError as error:
        raise ClientError(f"cannot read {directory}: {error.strerror}.") from None
    for path in inside:
        if is_directory(str(path)):
            yield from _files_below(path, seen)
        elif path.suffix.lower() in _SUFFIXES:
            yield path


def _read(name: str) -> TextOfFile:
    directory = "." if name == "-" else str(Path(name).parent)
    return TextOfFile(input_name(name), read_input(name), directory)


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
            content = read_input(str(directory / name)).decode("utf-8-sig")
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
