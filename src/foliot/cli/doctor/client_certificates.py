"""Checks of the client certificates that jobs sign in with, and of jobs that do not open."""

from collections.abc import Iterable, Iterator

from foliot.cli.doctor.finding import CheckResult, ok, problem, warning
from foliot.core.errors import FoliotError
from foliot.core.instant import DAY, Instant
from foliot.core.model.action import Action, ClientCertificate, HttpRequest
from foliot.core.model.job import Definition
from foliot.ports import clock
from foliot.serve.open_store import existing_keyring, stored_definitions
from foliot.serve.settings import Settings

_DAYS = 30
_MOST_NAMED = 5


def check_client_certificates(settings: Settings) -> Iterator[CheckResult]:
    """Look for jobs that do not open, or whose client certificate has expired or will soon."""
    name, now = "client certificates", clock.now()
    advice = "give the jobs new certificates"
    try:
        jobs = list(stored_definitions(settings, existing_keyring(settings)))
    except FoliotError:
        # The checks of database and keys say why.
        return
    closed = sorted(job for job, definition in jobs if definition is None)
    if closed:
        lost = "give the key that opens them, or create them again"
        yield problem("jobs", f"cannot be opened: {_listed(closed)}", lost)
    found = dict(_expiries(jobs))
    expired = sorted(job for job, at in found.items() if at <= now)
    soon = sorted(job for job, at in found.items() if now < at < now + _DAYS * DAY)
    if expired:
        yield problem(name, f"expired: {_listed(expired)}", advice)
    if soon:
        yield warning(name, f"expire within {_DAYS} days: {_listed(soon)}", advice)
    if not expired and not soon:
        yield ok(name, f"{len(found)} in jobs, none expires within {_DAYS} days")


def _expiries(jobs: Iterable[tuple[str, Definition | None]]) -> Iterator[tuple[str, Instant]]:
    for name, definition in jobs:
        if definition is not None:
            for expires_at in _expiries_of(definition.action):
                yield name, expires_at


def _expiries_of(action: Action) -> Iterator[Instant]:
    part = action.part
    signs_in = part.authentication if isinstance(part, HttpRequest) else None
    if isinstance(signs_in, ClientCertificate) and signs_in.expires_at is not None:
        yield signs_in.expires_at
    if action.error_action is not None:
        yield from _expiries_of(action.error_action)


def _listed(jobs: list[str]) -> str:
    more = len(jobs) - _MOST_NAMED
    return ", ".join(jobs[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
