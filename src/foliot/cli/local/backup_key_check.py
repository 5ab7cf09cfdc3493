"""Checks that the keys given to a restore open every sealed value of the backup."""

from collections.abc import Callable

from msgspec import Struct, structs

from foliot.core.plurals import how_many
from foliot.serve.progress import ProgressLine
from foliot.store.errors import WrongKey
from foliot.store.sealing.keyring import HEADER_SIZE, Keyring, key_name
from foliot.store.sealing.sealed_rows import OpenedValues
from foliot.store.sqlite.backup import BackupFacts, ValueProgress

# Opens every value of a backup, which has a schema version.
OpenValues = Callable[[int, Keyring, ValueProgress], OpenedValues]

_STEP = "Opening what is encrypted"
_PART = "The secret key opens only a part of the backup; nothing was restored."
_NO_PART = "The secret key does not fit the backup; nothing was restored."


class BackupKeyCheck(Struct, frozen=True):
    """Refuses keys that do not open everything, unless the operator `accepts_unreadable`."""

    keyring: Keyring
    line: ProgressLine
    accepts_unreadable: bool

    def check(self, facts: BackupFacts, open_values: OpenValues) -> BackupFacts:
        """Refuse the keys with what they do not open, and what to do.

        Return the facts, without a key that fits if that was lost: a server then adopts another.
        """
        opened = open_values(facts.schema_version, self.keyring, self._show)
        fits = facts.fits(self.keyring)
        if not self.accepts_unreadable and not (fits and not opened.closed):
            what = _PART if fits else _NO_PART + _last_key(facts)
            raise WrongKey(" ".join([what, *_closed(opened), *_what_to_do(opened)]))
        return facts if fits else structs.replace(facts, sealed=None)

    def _show(self, done: int, total: int) -> None:
        if total:
            self.line.show_part(_STEP, done, total)
        else:
            self.line.show(f"{_STEP}: {how_many(done, 'value')}")


def _last_key(facts: BackupFacts) -> str:
    if facts.sealed is None:
        return ""
    return f" It was last used with the key {key_name(facts.sealed[:HEADER_SIZE])}."


def _closed(opened: OpenedValues) -> list[str]:
    if not opened.closed:
        return []
    kinds = [how_many(count, noun) for noun, count in opened.closed.items()]
    more = ", ..." if opened.closed["job"] > len(opened.jobs) else ""
    jobs = f" (jobs: {', '.join(opened.jobs)}{more})" if opened.jobs else ""
    all_ = how_many(opened.total, "encrypted value")
    return [f"Of {all_}, it does not open {', '.join(kinds)}{jobs}."]


def _what_to_do(opened: OpenedValues) -> list[str]:
    said = [
        f"The key {name} has encrypted {count:,} of them: add it to the file or the variable with"
        " the key, after a comma. `foliot key rotate` keeps old keys in retired-secret-keys."
        for name, count in opened.missing_keys.most_common()
    ]
    damaged = opened.closed.total() - opened.missing_keys.total()
    if damaged:
        said.append(f"Damaged: {damaged:,} of them. Take another backup.")
    said.append("To restore all the same and lose them, give --accept-unreadable.")
    return said
