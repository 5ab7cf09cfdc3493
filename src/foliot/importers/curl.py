"""`curl` command lines, read as HTTP requests."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote_plus

from foliot.core.credentials import masked_uri
from foliot.core.errors import Invalid, shown
from foliot.importers.hidden_text import PLACEHOLDER, split_user
from foliot.importers.http_call import HttpCall, basic, check_address
from foliot.importers.job_parts import NO_RETRIES, exponential_retries, retries
from foliot.importers.program_options import option_table, read_options
from foliot.importers.shell_command import ShellCommand

_IGNORED = (
    "s/silent S/show-error v/verbose i/include N/no-buffer #/progress-bar no-progress-meter "
    "compressed 0/http1.0 http1.1 http2 http3 4/ipv4 6/ipv6 tcp-nodelay no-keepalive no-sessionid "
    "basic g/globoff f/fail fail-with-body L/location location-trusted post301 post302 post303 "
    "retry-all-errors retry-connrefused k/insecure I/head G/get q/disable ssl-reqd tlsv1.2 tlsv1.3 "
    "tr-encoding O/remote-name J/remote-header-name R/remote-time create-dirs"
)
_TAKING_A_VALUE = (
    "X/request H/header d/data data-ascii data-raw data-binary data-urlencode json u/user "
    "A/user-agent e/referer b/cookie m/max-time connect-timeout retry retry-delay retry-max-time "
    "o/output w/write-out url oauth2-bearer max-redirs D/dump-header c/cookie-jar stderr "
    "limit-rate y/speed-time Y/speed-limit keepalive-time tls-max"
)
_TABLE = option_table(_IGNORED, _TAKING_A_VALUE)
_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"
_GLOB = re.compile(r"[\[{]")
_DATA = frozenset({"data", "data-ascii", "data-raw", "data-binary", "data-urlencode", "json"})
_FIRST_PAUSE = 1
_LONGEST_PAUSE = 600


def read_curl(command: ShellCommand) -> HttpCall:
    """Read a command line of curl."""
    found: dict[str, list[str]] = {}
    data: list[str] = []
    for name, value in read_options(command.words, _TABLE):
        found.setdefault(name, []).append(value)
        if name in _DATA:
            data.append(_data(name, value, command.stdin))
    notes: list[str] = list(_notes(found))
    uri = _address(found)
    body = "&".join(data) if data else None
    if "json" in found:
        body = "".join(data)
    if "get" in found and body is not None:
        uri, body = _with_query(uri, body), None
    return HttpCall(
        uri=uri,
        method=_method(found, has_body=body is not None),
        headers=_headers(found, has_body=body is not None),
        body=body,
        authentication=_authentication(found),
        retry_policy=_retry_policy(found, notes),
        timeout=_whole_seconds(found["max-time"][-1]) if "max-time" in found else None,
        notes=tuple(notes),
    )


def _address(found: dict[str, list[str]]) -> str:
    addresses = [*found.get("", ()), *found.get("url", ())]
    if len(addresses) != 1:
        raise Invalid(
            (), f"the command calls {len(addresses) or 'no'} addresses; a job calls exactly one."
        )
    (uri,) = addresses
    if "globoff" not in found and _GLOB.search(PLACEHOLDER.sub("", uri)):
        shown_uri = shown(masked_uri(uri))
        raise Invalid((), f"{shown_uri} stands for several addresses; a job calls exactly one.")
    check_address(uri)
    return uri if "://" in uri or uri.startswith("${") else f"http://{uri}"


def _with_query(uri: str, query: str) -> str:
    return f"{uri}{'&' if '?' in uri else '?'}{query}"


def _method(found: dict[str, list[str]], *, has_body: bool) -> str:
    if "request" in found:
        return found["request"][-1]
    if "head" in found:
        return "HEAD"
    return "POST" if has_body else "GET"


def _data(option: str, value: str, stdin: str | None) -> str:
    """Return the text that an option adds to the body."""
    if option == "data-urlencode":
        return _url_encoded(value)
    if option == "data-raw" or not value.startswith("@"):
        return value
    if value != "@-":
        return f"${{file:{value[1:]}}}"
    if stdin is None:
        raise Invalid((), "the body comes from standard input, which the command does not say.")
    # Only --data-binary and --json keep the ends of lines.
    return stdin if option in ("data-binary", "json") else stdin.replace("\n", "")


def _url_encoded(value: str) -> str:
    name, equals, content = value.partition("=")
    if not equals and "@" in value:
        raise Invalid((), "--data-urlencode encodes a file; write its text into the body.")
    if not equals:
        return quote_plus(value)
    return f"{name}={quote_plus(content)}" if name else quote_plus(content)


def _headers(found: dict[str, list[str]], *, has_body: bool) -> dict[str, str]:
    headers: dict[str, str] = {}
    if has_body:
        headers["Content-Type"] = _JSON if "json" in found else _FORM
    if "json" in found:
        headers["Accept"] = _JSON
    for option, name in (("user-agent", "User-Agent"), ("referer", "Referer")):
        if option in found:
            headers[name] = found[option][-1]
    if "cookie" in found:
        headers["Cookie"] = _cookies(found["cookie"])
    if "oauth2-bearer" in found:
        headers["Authorization"] = f"Bearer {found['oauth2-bearer'][-1]}"
    for each in found.get("header", ()):
        headers = _with_header(headers, each)
    return headers


def _with_header(headers: dict[str, str], given: str) -> dict[str, str]:
    """Add a header, or take one away: `Accept:` without a value does."""
    if given.startswith("@"):
        raise Invalid((), f"the headers are in a file, {shown(given[1:])}; write them out.")
    if given.startswith("${"):
        raise Invalid((), f"the name of a header is in a variable, {given}; write it out.")
    name, _, value = (each.strip() for each in given.partition(":"))
    others = {known: each for known, each in headers.items() if known.lower() != name.lower()}
    return {**others, name: value} if value else others


def _cookies(given: Sequence[str]) -> str:
    for each in given:
        if "=" not in each:
            raise Invalid((), f"the cookies are in a file, {shown(each)}; a job keeps no cookies.")
    return "; ".join(given)


def _authentication(found: dict[str, list[str]]) -> dict[str, Any] | None:
    if "user" not in found:
        return None
    user, password = split_user(found["user"][-1])
    return basic(user, password or None)


def _retry_policy(found: dict[str, list[str]], notes: list[str]) -> dict[str, Any]:
    if "retry" not in found:
        return dict(NO_RETRIES)
    count = _whole_seconds(found["retry"][-1])
    on = {} if "retry-all-errors" in found else {"retryOn": "transient"}
    if "retry-delay" in found:
        return retries(count, _whole_seconds(found["retry-delay"][-1]), notes=notes, **on)
    return exponential_retries(count, _FIRST_PAUSE, _LONGEST_PAUSE, notes=notes, **on)


def _notes(found: dict[str, list[str]]) -> list[str]:
    notes: list[str] = []
    if not {"fail", "fail-with-body"} & found.keys():
        notes.append("curl without --fail took every response as a success; Foliot takes 2xx")
    if "insecure" in found:
        notes.append("curl did not check the certificate (-k); Foliot does")
    saved = [each for each in found.get("output", ()) if each not in ("/dev/null", "-")]
    if saved or "remote-name" in found:
        notes.append("curl saved the response as a file; history keeps the beginning of it")
    notes += [
        f"curl's --{name} has no counterpart"
        for name in ("connect-timeout", "retry-max-time", "max-redirs", "limit-rate", "cookie-jar")
        if name in found
    ]
    if any(each.startswith("@") and each != "@-" for each in found.get("data", ())):
        notes.append("curl -d left out the line ends of the file; the placeholder keeps them")
    return notes


def _whole_seconds(text: str) -> int:
    number = text.partition(".")[0]
    if not (number.isascii() and number.isdigit() and len(number) <= 9):  # noqa: PLR2004
        raise Invalid((), f"{shown(text)} is not a number, which the option of curl needs.")
    return int(number)
