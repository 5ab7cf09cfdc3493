"""Jobs from command lines: what `curl` or `wget` sends becomes an HTTP action."""

from collections.abc import Iterable
from typing import Any

from msgspec import structs

from foliot.core.errors import Invalid, shown
from foliot.importers.curl import read_curl
from foliot.importers.http_call import HttpCall
from foliot.importers.job_parts import bounded_timeout
from foliot.importers.model import DraftJob
from foliot.importers.shell_command import HTTP_PROGRAMS, NO_COMMANDS, ShellCommand
from foliot.importers.wget import read_wget

_NO_TIME_LIMIT = (
    "a command without a time limit takes as long as it needs; an attempt of a job ends after "
    "60 seconds, unless policy.timeout says otherwise"
)


def http_call_of(command: ShellCommand) -> HttpCall:
    """Read the request that a command sends; other programs are refused."""
    if command.program not in HTTP_PROGRAMS:
        name = shown(command.program) if command.words else "nothing"
        raise Invalid((), f"the command runs {name}, which is neither curl nor wget. {NO_COMMANDS}")
    call = read_wget(command) if command.program == "wget" else read_curl(command)
    return structs.replace(call, notes=(*command.notes, *call.notes))


def notes_on_timeouts(drafts: Iterable[DraftJob]) -> list[str]:
    """Note that commands without a time limit become attempts with one."""
    is_limited = all("timeout" in draft.properties.get("policy", {}) for draft in drafts)
    return [] if is_limited else [_NO_TIME_LIMIT]


def policy_of(command: ShellCommand, call: HttpCall, notes: list[str]) -> dict[str, Any]:
    """Return the policy that a command says: its longest time, and its lock."""
    policy: dict[str, Any] = {}
    if command.overlap is not None:
        policy["overlap"] = command.overlap
    limits = [each for each in (command.timeout, call.timeout) if each]
    if limits:
        policy["timeout"] = bounded_timeout(min(limits), notes)
    return policy
