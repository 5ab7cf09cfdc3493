"""The exceptions that refuse a request, as one tree.

FoliotError
├── Invalid               a value that is not accepted: its path, the value, what is expected
├── InvalidQuery          a query parameter that is missing or not accepted
├── UnknownVersion        a version of the API that is missing or not supported
├── Unauthenticated       no credential, or one that is not known
├── Forbidden             a known caller who may not do this
├── SubscriptionNotFound  a subscription outside the caller's scope
├── GroupNotFound         no such resource group, or none the caller may see
├── CollectionNotFound    no such collection, or none the caller may see
├── JobNotFound           no such job in the collection
├── RunNotFound           no such open run of the job
│   └── RunRecordNotFound  no such run in the history of the job
├── CalendarNotFound      no such calendar in the collection
├── AlertNotFound         no such alert in the collection
├── DeploymentNotFound    no such deployment, or none the caller may see
│   └── OperationNotFound  no such operation of a deployment
├── AuditEntryNotFound    no such entry of the audit log, or none the caller may see
├── AttemptNotFound       no such entry in the history of a job
├── RefusedInTemplate     another refusal, about one resource of a template
├── Conflict              a valid request that the present state does not allow
│   ├── TooManyRequests   one that is allowed again after a while
│   ├── Unreadable        a job whose definition is damaged: it can be deleted, and nothing else
│   └── UnreadableAlert   an alert whose definition is damaged: the same
├── CannotStart           the reason why a server or a command cannot start
└── Unavailable           the store cannot answer now; trying again later may help
    ├── AlertNotReadableHere       an alert that another node may be able to read
    └── NotReadableHere            a job that another node may be able to read
        ├── UnknownKey             it was sealed with a key that this node was not given
        └── UnknownDefinition      another version of Foliot has written it
"""

import json
import traceback
from collections.abc import Generator
from contextlib import contextmanager

Path = tuple[str | int, ...]

_SHOWN_CHARACTERS = 80


class FoliotError(Exception):
    """Everything Foliot refuses on purpose."""


class Invalid(FoliotError):
    """A value that cannot be accepted, at a JSON path, with the problem in words."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(path, problem)
        self.path = path
        self.problem = problem

    def __str__(self) -> str:
        return f"{path_text(self.path)}: {self.problem}" if self.path else self.problem


class InvalidQuery(FoliotError):
    """A parameter of the query that is missing or cannot be accepted."""


class UnknownVersion(FoliotError):
    """A version of the API that is missing or not supported."""


class Unauthenticated(FoliotError):
    """A request without a credential, or with one that is not known."""


class Forbidden(FoliotError):
    """A request of a known caller whose role does not allow it."""


class SubscriptionNotFound(FoliotError):
    """A subscription of which the caller may see nothing."""

    def __init__(self, name: str) -> None:
        super().__init__(f"The subscription '{name}' could not be found.")


class GroupNotFound(FoliotError):
    """A resource group that does not exist, or of which the caller may see nothing."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Resource group '{name}' could not be found.")


class CollectionNotFound(FoliotError):
    """A collection that does not exist, or that the caller may not see."""

    def __init__(self, name: str, group: str) -> None:
        super().__init__(f"The collection '{name}' in the resource group '{group}' was not found.")
        self.name = name
        self.group = group


class JobNotFound(FoliotError):
    """A job that does not exist in its collection."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Job '{name}' cannot be found.")


class RunNotFound(FoliotError):
    """A run that is not open: it has ended, or never existed."""

    def __init__(self, tag: str) -> None:
        super().__init__(f"The job has no open run '{tag}'; it has ended, or never existed.")


class AttemptNotFound(FoliotError):
    """An attempt that is not in the history of its job."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"The job has no attempt {number}: it was deleted with old history, or never existed."
        )


class RunRecordNotFound(RunNotFound):
    """A run that history does not have."""

    def __init__(self, number: int | str) -> None:
        words = "it never existed, or its history was deleted."
        FoliotError.__init__(self, f"The job has no run {shown(number)}; {words}")


class CalendarNotFound(FoliotError):
    """A calendar that does not exist in its collection."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Calendar '{name}' cannot be found.")


class AlertNotFound(FoliotError):
    """An alert that does not exist in its collection."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Alert '{name}' cannot be found.")


class DeploymentNotFound(FoliotError):
    """A deployment that does not exist, or that the caller may not see."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Deployment '{name}' could not be found.")


class OperationNotFound(DeploymentNotFound):
    """An operation that a deployment does not have."""

    def __init__(self, deployment: str, name: str) -> None:
        FoliotError.__init__(
            self, f"Operation '{name}' of deployment '{deployment}' could not be found."
        )


class AuditEntryNotFound(FoliotError):
    """An entry of the audit log that does not exist, or that the caller may not see."""

    def __init__(self, entry_id: int | str) -> None:
        super().__init__(f"The audit log has no entry {shown(entry_id)}.")


class RefusedInTemplate(FoliotError):
    """A refusal that is about one resource of a template, with the path of the resource."""

    def __init__(self, path: Path, refusal: FoliotError) -> None:
        super().__init__(path, refusal)
        self.path = path
        self.refusal = refusal

    def __str__(self) -> str:
        return f"{path_text(self.path)}: {self.refusal}"


class Conflict(FoliotError):
    """A request that the present state does not allow."""


class TooManyRequests(Conflict):
    """A request that was made too often; it is allowed again after some seconds."""

    def __init__(self, words: str, seconds: int) -> None:
        super().__init__(words)
        self.seconds = seconds


class Unreadable(Conflict):
    """A job whose definition cannot be opened any more."""

    def __init__(self, job_id: int, name: str, reason: str) -> None:
        super().__init__(f"The definition of job '{name}' cannot be read: {reason}.")
        self.job_id = job_id


class UnreadableAlert(Conflict):
    """An alert whose definition cannot be opened any more."""

    def __init__(self, alert_id: int, words: str) -> None:
        super().__init__(words)
        self.alert_id = alert_id


class CannotStart(FoliotError):
    """The environment does not allow a start; the message is for the operator."""


class Unavailable(FoliotError):
    """The store cannot answer at the moment."""


class AlertNotReadableHere(Unavailable):
    """An alert whose definition another node may be able to read, though this one is not."""

    def __init__(self, alert_id: int, words: str) -> None:
        super().__init__(words)
        self.alert_id = alert_id


class NotReadableHere(Unavailable):
    """A job whose definition another node may be able to read, though this one is not."""

    def __init__(self, job_id: int, name: str, reason: str) -> None:
        super().__init__(f"The definition of job '{name}' {reason}.")
        self.job_id = job_id


class UnknownKey(NotReadableHere):
    """A job that was sealed with a key this node was not given."""

    def __init__(self, job_id: int, name: str) -> None:
        super().__init__(job_id, name, "was sealed with a key that this node was not given")


class UnknownDefinition(NotReadableHere):
    """A job that another version of Foliot has written: its seal shows that it is not damaged."""

    def __init__(self, job_id: int, name: str) -> None:
        super().__init__(job_id, name, "is not one that this version of Foliot knows")


def wrong(path: Path, value: object, expected: str) -> Invalid:
    """Return the refusal of a value at a path, with what is expected there."""
    return Invalid(path, f"{shown(value)} is not valid; give {expected}.")


@contextmanager
def within(*parents: str | int) -> Generator[None]:
    """Prefix the paths of refusals raised inside with the names of the surrounding objects."""
    try:
        yield
    except Invalid as refusal:
        raise Invalid((*parents, *refusal.path), refusal.problem) from None


def shown(value: object) -> str:
    """The value as JSON, for a message: printable whatever it holds, and never long."""
    try:
        text = json.dumps(value, default=str)
    except RecursionError:
        return "a deeply nested value"
    if len(text) <= _SHOWN_CHARACTERS:
        return text
    size = len(value) if isinstance(value, str) else len(text)
    return f"{text[:_SHOWN_CHARACTERS]}... ({size} characters)"


def origin_of(error: BaseException) -> str:
    """Return the class of an error and its calls, the innermost first, in one line, for a log.

    Its message is left out: it may hold a secret.
    """
    frames = [
        f"{'/'.join(frame.f_code.co_filename.split('/')[-2:])}:{line} {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    return " < ".join([type(error).__name__, *reversed(frames)])


def path_text(path: Path) -> str:
    """`("schedule", "hours", 1)` as `schedule.hours[1]`."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in path]
    return "".join(parts).removeprefix(".")
