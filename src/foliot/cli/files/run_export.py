"""Runs `foliot export`: reads collections and writes them."""

import json
import os
import re
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path

import typer

from foliot.cli.files.current import current_collection
from foliot.cli.files.exported import ExportedCollection, document_of, exported_collection
from foliot.cli.files.templates_out import template_with
from foliot.cli.input_files import is_directory
from foliot.cli.remote.command import ServerSession
from foliot.cli.remote.printable import printable
from foliot.client.errors import ClientError
from foliot.client.paths import key_text
from foliot.core.errors import wrong
from foliot.core.ids import CollectionKey
from foliot.core.yaml_text import write_yaml
from foliot.importers.exported_jobs import VariableNames, VariableOwners, heading
from foliot.serve.progress import progress_line

_FORMATS = ("yaml", "json", "template")
_NOT_IN_A_FILE_NAME = re.compile(r"[^\w.-]+")


def run_export(session: ServerSession, into: str | None, form: str) -> None:
    """Write the named collection, or all; tell what is left out."""
    if form not in _FORMATS:
        raise wrong(("--format",), form, f"one of {', '.join(_FORMATS)}")
    keys = [session.key] if session.named_collection else session.visible_keys()
    reading = "Collections are read"
    with progress_line(reading) as line:
        found = [
            exported_collection(current_collection(session.client, each))
            for each in line.each(reading, keys)
        ]
    for missing in (each for each in found if not each.current.exists):
        # Asked again, since this names what is not there.
        session.client.collection(missing.current.key)
    _tell_left_out(found, form)
    if into is not None and (into.endswith(os.sep) or is_directory(into)):
        _write_directory(Path(into), found, form)
    elif into is not None:
        _write(Path(into), _text(found, form, VariableNames()))
    else:
        typer.echo(_text(found, form, VariableNames()), nl=False)


def _tell_left_out(collections: Sequence[ExportedCollection], form: str) -> None:
    for each in collections:
        where = key_text(each.current.key)
        if each.ended:
            names = ", ".join(each.ended)
            _tell(f"{where}: not exported, since they have ended: {names}.")
        if form == "template" and each.current.calendars:
            names = ", ".join(name for name, _ in each.current.calendars.values())
            _tell(f"{where}: templates have no calendars; keep these yourself: {names}.")
        if form == "template" and each.alerts:
            names = ", ".join(alert.name for alert in each.alerts)
            _tell(f"{where}: templates have no alerts; keep these yourself: {names}.")


def _tell(text: str) -> None:
    typer.echo(printable(text), err=True)


def _text(collections: Sequence[ExportedCollection], form: str, names: VariableNames) -> str:
    if form == "template":
        return f"{json.dumps(template_with(collections, names), indent=2)}\n"
    documents = [document_of(each, names) for each in collections]
    if form == "yaml":
        return heading(names) + (write_yaml([*documents]) if documents else "")
    if names.meanings:
        _tell(heading(names).rstrip("\n"))
    return f"{json.dumps(documents, indent=2)}\n"


def _write_directory(into: Path, collections: Sequence[ExportedCollection], form: str) -> None:
    suffix = "yaml" if form == "yaml" else "json"
    try:
        into.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ClientError(f"cannot make {into}: {error.strerror}.") from None
    owners: VariableOwners = {}
    taken: set[str] = set()
    for each in collections:
        name = _file_name(each.current.key, taken)
        _write(into / f"{name}.{suffix}", _text([each], form, VariableNames(owners)))


def _file_name(key: CollectionKey, taken: set[str]) -> str:
    """Return a name that no other file has: `a.b/c` and `a/b.c` would have the same."""
    parts = key_text(key).split("/")
    base = ".".join(_NOT_IN_A_FILE_NAME.sub("_", part) for part in parts)
    names = chain([base], (f"{base}-{number}" for number in count(2)))
    name = next(each for each in names if each.lower() not in taken)
    taken.add(name.lower())
    return name


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise ClientError(f"cannot write {path}: {error.strerror}.") from None
