"""Checks that the keys given to a restore open every sealed value of the backup."""

from collections.abc import Callable

from msgspec import Struct

from foliot.cli.local.late_progress import LateProgress
from foliot.core.plurals import how_many
from foliot.store.errors import WrongKey
from foliot.store.sealing.keyring import Keyring
from foliot.store.sealing.sealed_rows import OpenedValues
from foliot.store.sqlite.backup import BackupFacts, ValueProgress

# Opens every value of a backup, which has a schema version.
OpenValues = Callable[[int, Keyring, ValueProgress], OpenedValues]

_STEP = "Opening what is encrypted"


class BackupKeyCheck(Struct, frozen=True):
    """Refuses keys that do not open everything; with `accepts_unreadable`, only those of others."""

    keyring: Keyring
    line: LateProgress
    accepts_unreadable: bool

    def check(self, facts: BackupFacts, open_values: OpenValues) -> None:
        """Refuse the keys with what they do not open, and what to do."""
        if not facts.fits(self.keyring):
            raise WrongKey("The secret key does not fit the backup; nothing was restored.")
        opened = open_values(facts.schema_version, self.keyring, self._show)
        if opened.closed and not self.accepts_unreadable:
            raise WrongKey(" ".join([*_closed(opened), *_what_to_do(opened)]))

    def _show(self, done: int, total: int) -> None:
        if total:
            self.line.show_part(_STEP, done, total)
        else:
            self.line.show_size(f"{_STEP}: {how_many(done, 'value')}", 0)


def _closed(opened: OpenedValues) -> list[str]:
    kinds = [how_many(count, noun) for noun, count in opened.closed.items()]
    more = ", ..." if opened.closed["job"] > len(opened.jobs) else ""
    jobs = f" (jobs: {', '.join(opened.jobs)}{more})" if opened.jobs else ""
    all_ = how_many(opened.total, "encrypted value")
    return [
        "The secret key opens only a part of the backup; nothing was restored.",
        f"Of {all_}, it does not open {', '.join(kinds)}{jobs}.",
    ]


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
