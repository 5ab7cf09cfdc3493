"""Checks of the database, its clock, its nodes, and the keys that fit."""

from collections.abc import Iterator

from foliot.cli.doctor.finding import CheckResult, ok, problem, warning
from foliot.cli.local.key_steps import UNFINISHED_FILE
from foliot.core.errors import FoliotError
from foliot.core.instant import SECOND, Instant
from foliot.core.model.node import SILENCE_TICKS, Node, is_alive
from foliot.core.plurals import how_many
from foliot.ports import clock
from foliot.serve.open_store import existing_keyring, inspect_storage
from foliot.serve.settings import PostgresAddress, Settings, database_text
from foliot.store.sqlite.inspection import DatabaseFacts

_LARGE_LOG = 512_000_000
_SILENCE = f"{SILENCE_TICKS // SECOND} seconds"
_START = "docs/how-to/start-a-server.md has a table of causes and what to do"


def check_database(settings: Settings) -> tuple[list[CheckResult], DatabaseFacts | None]:
    """Look at the database; return what was found, and the facts for other checks."""
    name = "database"
    try:
        facts = inspect_storage(settings, is_checked=True)
    except FoliotError as error:
        return [problem(name, str(error).rstrip("."), _START)], None
    where = database_text(settings.database)
    text = f"{where}, schema version {facts.schema_version}, {facts.size / 1e6:.1f} MB"
    if facts.damage is not None:
        advice = "stop the server, keep the files, and restore a backup"
        return [problem(name, f"{where} is damaged: {facts.damage}", advice)], None
    if facts.schema_version > facts.known_version:
        advice = "install the version of Foliot that last ran"
        return [problem(name, f"{text}; this version knows {facts.known_version}", advice)], None
    if facts.schema_version < facts.known_version:
        advice = "make a backup; the next start of a server brings it up to date"
        return [warning(name, f"{text}, and {facts.known_version} is current", advice)], None
    if facts.log_size > _LARGE_LOG:
        advice = "look for a long read, such as a shell of sqlite3, and end it"
        return [warning(name, f"its log has {facts.log_size / 1e6:.0f} MB", advice)], facts
    return [ok(name, text)], facts


def check_keys(settings: Settings, facts: DatabaseFacts) -> Iterator[CheckResult]:
    """Look whether the keys that are given open everything."""
    try:
        keys = existing_keyring(settings).names.split(",")
    except FoliotError as error:
        yield problem("secret key", str(error).rstrip("."), "restore the key from its copy")
        return
    if (settings.data_dir / UNFINISHED_FILE).exists():
        advice = "run `foliot key rotate` again while the server is stopped"
        yield warning("secret key", "a rotation of keys was interrupted", advice)
    lost = sum(count for key, count in facts.seals.items() if key not in keys)
    left = sum(count for key, count in facts.seals.items() if key in keys[1:])
    if lost:
        advice = "give the missing key; `foliot key show` names it"
        yield problem(
            "secret key", f"{how_many(lost, 'value')} cannot be opened with the keys given", advice
        )
    elif left:
        advice = "restart a server with these keys; `foliot key show` tells the next step"
        yield warning(
            "secret key", f"encrypted with an older key: {how_many(left, 'value')}", advice
        )
    else:
        yield ok("secret key", f"{keys[0]} opens everything")


def check_clock(settings: Settings, facts: DatabaseFacts) -> Iterator[CheckResult]:
    """Compare the clock of this machine with that of the database."""
    if not isinstance(settings.database, PostgresAddress):
        yield ok("clock", "the database has the clock of this machine")
        return
    seconds = abs(facts.offset) / SECOND
    text = f"{seconds:.1f} s from the database's clock"
    if abs(facts.offset) > SILENCE_TICKS:
        yield problem("clock", text, "set the clock: run an NTP client such as chrony")
    elif abs(facts.offset) > SECOND:
        yield warning("clock", text, "run an NTP client such as chrony on every machine")
    else:
        yield ok("clock", text)


def check_nodes_of(facts: DatabaseFacts, own_version: str) -> Iterator[CheckResult]:
    """Look for nodes that are silent, and for nodes of different versions."""
    now = Instant(clock.now() + facts.offset)
    alive = [node for node in facts.nodes if is_alive(node, now)]
    for node in facts.nodes:
        if node not in alive:
            minutes = (now - node.seen_at) // (60 * SECOND)
            advice = "if it was stopped on purpose, it is forgotten after a day"
            yield warning("nodes", f"{node.name} has been silent for {minutes} min", advice)
    versions = sorted({node.version for node in alive} | {own_version})
    if len(versions) > 1:
        yield warning(
            "nodes", _skew(alive, own_version), "finish the upgrade: docs/how-to/upgrade.md"
        )
    elif alive:
        yield ok("nodes", f"{len(alive)} seen within {_SILENCE}, all of version {own_version}")


def _skew(alive: list[Node], own_version: str) -> str:
    told = ", ".join(f"{node.name} runs {node.version}" for node in alive)
    return f"versions differ: {told}, this command is of {own_version}"
