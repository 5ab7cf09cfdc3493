"""Replaces the key in a data directory step by step, and reports on keys."""

import asyncio
import base64
import json
import os
import pwd
import shlex
from pathlib import Path

import typer
from msgspec import Struct, to_builtins

from foliot.core.errors import CannotStart, wrong
from foliot.core.instant import Instant
from foliot.core.model.node import Node, is_alive
from foliot.core.plurals import how_many
from foliot.core.rules.key_rotation import KeysHere, KeyState, next_step
from foliot.ports import clock
from foliot.ports.private_files import write_private
from foliot.serve.data_dir import locked_data_dir, locked_database, node_id
from foliot.serve.open_store import inspect_storage, open_existing_storage, open_storage
from foliot.serve.settings import Settings
from foliot.store.errors import StoreError
from foliot.store.sealing.keyring import KEY_FILE, load_keyring, parse_keyring, read_keyring

_KEY_SIZE = 32
_RETIRED_FILE = "retired-secret-keys"
# Has the name of the new key, from before it is made until the old ones are retired.
UNFINISHED_FILE = "key-rotation-unfinished"


class RotatedKey(Struct, frozen=True):
    """The name of the new key, the file that has it, and the file that has the old ones.

    If `was_interrupted`, an earlier rotation had made the key.
    """

    name: str
    file: Path
    retired: Path
    was_interrupted: bool


class KeyReport(Struct, frozen=True):
    """The keys given here, those of the nodes, what each has encrypted, and what to do next."""

    here: list[str]
    nodes: list[KeyState]
    encrypted: dict[str, int]
    next_step: str


def rotate_key(settings: Settings) -> RotatedKey:
    """Replace the key of a stopped server: a new key, which no file had before, comes first.

    After each step the file has every key that the database needs: a server starts at any moment.
    A rotation that was interrupted is finished with the key that it has made.
    """
    if settings.secret_keys is not None:
        raise CannotStart(
            "FOLIOT_SECRET_KEYS has the keys, which a command cannot change. Change them in three"
            " rounds; `foliot key show` tells which one is next."
        )
    _refuse_root(settings.data_dir)
    with locked_data_dir(settings.data_dir) as lock, locked_database(settings.database) as locks:
        _refuse_other_nodes(settings)
        file, mark = settings.data_dir / KEY_FILE, settings.data_dir / UNFINISHED_FILE
        was_interrupted = _is_begun(file, mark)
        if not was_interrupted:
            _add_new_key(file, mark)
        asyncio.run(open_storage(settings, [lock, *locks]).store.close())
        newest, *old = _keys_in(file)
        _check_nothing_needs_old_keys(settings)
        retired = _retire(settings.data_dir / _RETIRED_FILE, old)
        write_private(file, f"{newest}\n".encode())
        mark.unlink(missing_ok=True)
    return RotatedKey(read_keyring(file).names, file, retired, was_interrupted)


def _refuse_root(data_dir: Path) -> None:
    """Refuse root where another user owns the files: the server could not read its new key."""
    try:
        owner = data_dir.stat().st_uid
    except OSError as error:
        raise CannotStart(f"{data_dir} cannot be read: {error.strerror}.") from None
    if os.geteuid() == 0 and owner != 0:
        try:
            user = pwd.getpwuid(owner).pw_name
        except KeyError:
            user = f"#{owner}"
        command = shlex.join(["sudo", "-u", user, "foliot", "key", "rotate"])
        raise CannotStart(
            "root would own the new key, and the server could not read it. Run it as the user"
            f" who owns {data_dir}: {command} ..."
        )


def _refuse_other_nodes(settings: Settings) -> None:
    # Opened as a command beside the nodes would: it changes nothing if the keys do not fit theirs.
    asyncio.run(open_existing_storage(settings).store.close())
    own = node_id(settings.data_dir)
    others = [node.name for node in _running(settings) if node.id != own]
    if others:
        raise CannotStart(
            f"other nodes use the database: {', '.join(others)}. Give all of them their keys in"
            " FOLIOT_SECRET_KEYS, and change those in three rounds."
        )


def _is_begun(file: Path, mark: Path) -> bool:
    """Tell whether the first key in the file is that of a rotation that was interrupted.

    Keys that an operator has put there are none. A key that stands alone has been rotated to.
    """
    first, *others = read_keyring(file).names.split(",")
    return bool(others) and mark.exists() and mark.read_text("ascii").strip() == first


def _add_new_key(file: Path, mark: Path) -> None:
    new = base64.b64encode(os.urandom(_KEY_SIZE)).decode()
    write_private(mark, f"{parse_keyring(new, KEY_FILE).names}\n".encode())
    write_private(file, f"{','.join([new, *_keys_in(file)])}\n".encode())


def _keys_in(file: Path) -> list[str]:
    return [each.strip() for each in file.read_text("ascii").split(",")]


def _check_nothing_needs_old_keys(settings: Settings) -> None:
    newest = read_keyring(settings.data_dir / KEY_FILE).names.split(",")[0]
    left = {key: count for key, count in inspect_storage(settings).seals.items() if key != newest}
    if left:
        raise StoreError(
            f"The keys given do not open {how_many(sum(left.values()), 'value')}, so all of them"
            f" stay in {KEY_FILE}. These are jobs, alerts, deployments or entries of the audit log:"
            " give their key, or delete the jobs that the log names. Then run this again."
        )


def _retire(file: Path, old: list[str]) -> Path:
    known = _keys_in(file) if file.exists() else []
    kept = [*old, *(each for each in known if each not in old)]
    write_private(file, f"{','.join(kept)}\n".encode())
    return file


def _running(settings: Settings) -> list[Node]:
    facts = inspect_storage(settings)
    now = Instant(clock.now() + facts.offset)
    return sorted(
        (node for node in facts.nodes if is_alive(node, now)), key=lambda node: node.started_at
    )


def key_report(settings: Settings) -> KeyReport:
    """Return what can be told about the keys; nothing is changed."""
    # The database comes first: where there is none, no key is missing.
    nodes = [
        KeyState(node.name, tuple(filter(None, node.keys.split(","))))
        for node in _running(settings)
    ]
    given = settings.secret_keys
    keyring = load_keyring(
        settings.data_dir,
        from_environment=None if given is None else given.reveal(),
        database_exists=True,
    )
    sealed = dict(inspect_storage(settings).seals)
    names = keyring.names.split(",")
    here = KeysHere(names, are_in_file=given is None)
    return KeyReport(names, nodes, sealed, next_step(nodes, sealed, here))


def print_report(report: KeyReport, form: str) -> None:
    """Print a report for people or as JSON."""
    match form.lower():
        case "json":
            typer.echo(json.dumps(to_builtins(report), indent=2))
        case "table":
            typer.echo(f"Here: {', '.join(report.here)}")
            for state in report.nodes:
                typer.echo(f"Node {state.node}: {', '.join(state.keys) or 'not told'}")
            for key, count in sorted(report.encrypted.items()):
                typer.echo(f"Encrypted with {key}: {how_many(count, 'value')}")
            typer.echo(f"Next: {report.next_step}")
        case _:
            raise wrong(("--output",), form, "table or json")
