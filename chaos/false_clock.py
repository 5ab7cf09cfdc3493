"""A wall clock that can be set, for one process: libfaketime, as distributions package it."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from chaos.facts import SECOND, Delivery, now

_LIBRARIES = ("/usr/lib", "/usr/lib64", "/usr/local/lib")
_NAME = "faketime/libfaketimeMT.so.1"


def find_library() -> Path | None:
    """Return where libfaketime is, if it is installed."""
    found = (path for folder in _LIBRARIES for path in sorted(Path(folder).glob(f"**/{_NAME}")))
    return next(found, None)


class FalseClock:
    """The clock of a server, so many seconds ahead of ours; it remembers when it was set."""

    def __init__(self, folder: Path, library: Path) -> None:
        self._file = folder / "clock"
        self._library = library
        self._jumps: list[tuple[int, int]] = []
        self.set(0)

    @property
    def environ(self) -> dict[str, str]:
        """What the process needs to be told; its monotonic clock stays as it is."""
        return {
            "LD_PRELOAD": str(self._library),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def set(self, seconds: int) -> None:
        """Make it jump."""
        draft = self._file.with_suffix(".new")
        draft.write_text(f"{seconds:+d}\n")
        draft.replace(self._file)
        self._jumps.append((now(), seconds * SECOND))

    def now(self) -> int:
        """Return what it shows."""
        return self.shown_at(now())

    def shown_at(self, moment: int) -> int:
        """Return what it showed at a moment of the true clock."""
        return moment + next(ahead for at, ahead in reversed(self._jumps) if at <= moment)

    def as_shown(self, deliveries: Sequence[Delivery]) -> list[Delivery]:
        """Return deliveries at the moments that this clock showed."""
        return [
            structs.replace(
                each,
                arrived=self.shown_at(each.arrived),
                answered=None if each.answered is None else self.shown_at(each.answered),
            )
            for each in deliveries
        ]
