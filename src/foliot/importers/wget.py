"""`wget` command lines, read as HTTP requests."""

from typing import Any

from foliot.core.errors import Invalid, shown
from foliot.importers.http_call import HttpCall, basic, check_address
from foliot.importers.job_parts import MIN_FIXED_SECONDS, retries
from foliot.importers.program_options import option_table, read_options
from foliot.importers.shell_command import ShellCommand

_FLAGS = (
    "q/quiet nv/no-verbose v/verbose S/server-response 4/inet4-only 6/inet6-only spider "
    "delete-after no-check-certificate nc/no-clobber N/timestamping b/background no-cache "
    "content-on-error no-dns-cache no-proxy c/continue auth-no-challenge no-config"
)
_TAKING_A_VALUE = (
    "O/output-document o/output-file a/append-output header post-data post-file method body-data "
    "body-file user password http-user http-password U/user-agent referer T/timeout t/tries "
    "waitretry connect-timeout read-timeout dns-timeout w/wait P/directory-prefix max-redirect"
)
_TABLE = option_table(_FLAGS, _TAKING_A_VALUE)
_FORM = "application/x-www-form-urlencoded"
# What wget does unless told otherwise.
_TRIES = 20
_TIMEOUT = 900


def read_wget(command: ShellCommand) -> HttpCall:
    """Read a command line of wget."""
    options: dict[str, str] = {}
    headers: dict[str, str] = {}
    addresses: list[str] = []
    for name, value in read_options(command.words, _TABLE):
        if not name:
            addresses.append(value)
        elif name == "header":
            header, _, content = value.partition(":")
            headers[header.strip()] = content.strip()
        else:
            options[name] = value
    body = _body(options)
    notes = _notes(options)
    return HttpCall(
        uri=_address(addresses),
        method=_method(options, has_body=body is not None),
        headers={**_headers(options, has_body=body is not None), **headers},
        body=body,
        authentication=_authentication(options),
        retry_policy=_retry_policy(options, notes),
        timeout=_number(options, "timeout", _TIMEOUT) if "timeout" in options else None,
        notes=tuple(notes),
    )


def _address(addresses: list[str]) -> str:
    if len(addresses) != 1:
        raise Invalid(
            (), f"the command calls {len(addresses) or 'no'} addresses; a job calls exactly one."
        )
    (uri,) = addresses
    check_address(uri)
    return uri if "://" in uri or uri.startswith("${") else f"http://{uri}"


def _body(options: dict[str, str]) -> str | None:
    for name in ("post-data", "body-data"):
        if name in options:
            return options[name]
    for name in ("post-file", "body-file"):
        if name in options:
            return f"${{file:{options[name]}}}"
    return None


def _method(options: dict[str, str], *, has_body: bool) -> str:
    if "method" in options:
        return options["method"].upper()
    if "spider" in options:
        return "HEAD"
    return "POST" if has_body else "GET"


def _headers(options: dict[str, str], *, has_body: bool) -> dict[str, str]:
    headers = {"Content-Type": _FORM} if has_body else {}
    for option, name in (("user-agent", "User-Agent"), ("referer", "Referer")):
        if option in options:
            headers[name] = options[option]
    return headers


def _authentication(options: dict[str, str]) -> dict[str, Any] | None:
    user = options.get("http-user", options.get("user"))
    if user is None:
        return None
    return basic(user, options.get("http-password", options.get("password")))


def _retry_policy(options: dict[str, str], notes: list[str]) -> dict[str, Any]:
    tries = _number(options, "tries", _TRIES) or _TRIES
    pause = max(_number(options, "waitretry", MIN_FIXED_SECONDS), MIN_FIXED_SECONDS)
    return retries(tries - 1, pause, notes=notes, retryOn="transient")


def _notes(options: dict[str, str]) -> list[str]:
    notes: list[str] = []
    if "no-check-certificate" in options:
        notes.append("wget did not check the certificate; Foliot does")
    discards = options.get("output-document") in ("/dev/null", "-")
    if not (discards or {"spider", "delete-after"} & options.keys()):
        notes.append("wget saved the response as a file; history keeps the beginning of it")
    return notes


def _number(options: dict[str, str], name: str, default: int) -> int:
    text = options.get(name, str(default)).partition(".")[0]
    if not (text.isascii() and text.isdigit() and len(text) <= 9):  # noqa: PLR2004
        raise Invalid((), f"{shown(text)} is not a number, which wget's --{name} needs.")
    return int(text)
