"""HTTP actions of Logic Apps become requests."""

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from msgspec import structs

from foliot.core.errors import Invalid, shown
from foliot.core.json_text import Json
from foliot.importers.documents import Fields
from foliot.importers.hidden_text import hidden
from foliot.importers.http_call import HttpCall, basic
from foliot.importers.job_parts import NO_RETRIES, exponential_retries, retries
from foliot.importers.logicapp_expressions import resolved

_DURATION = re.compile(r"PT(?:([0-9]{1,4})H)?(?:([0-9]{1,5})M)?(?:([0-9]{1,6}(?:\.[0-9]+)?)S)?")
_DAYS = re.compile(r"P([0-9]{1,3})D")
# What Logic Apps does unless told otherwise: 4 retries that begin with 7.5 seconds; 2 minutes.
_RETRIES, _FIRST_PAUSE, _LONGEST_PAUSE = 4, 7.5, 45
_TIMEOUT = 120
_TRANSIENT = {"retryOn": "transient"}


def read_request(
    action: Fields, values: Mapping[str, Json], notes: list[str]
) -> tuple[HttpCall, bool]:
    """Read an HTTP action; tell also whether it has all that it needs to authenticate."""
    inputs = Fields(resolved(action.object("inputs").as_json(), values), action.path)
    headers = inputs.texts("headers")
    body = _body(inputs.get("body"), headers)
    timeout = _seconds(action.object("limit").text("timeout"), _TIMEOUT)
    call = HttpCall(
        uri=_address(inputs),
        method=inputs.text("method", "GET").upper(),
        headers=headers,
        body=body,
        retry_policy=_retry_policy(inputs.object("retryPolicy"), notes),
        timeout=int(timeout),
    )
    return _authenticated(call, inputs.object("authentication"), notes)


def _address(inputs: Fields) -> str:
    uri, queries = inputs.required_text("uri"), inputs.texts("queries")
    if not queries:
        return uri
    return f"{uri}{'&' if '?' in uri else '?'}{urlencode(queries, safe='${}:')}"


def _body(body: Json, headers: dict[str, str]) -> str | None:
    if body is None or isinstance(body, str):
        return body
    if not any(name.lower() == "content-type" for name in headers):
        headers["Content-Type"] = "application/json"
    return json.dumps(body, ensure_ascii=False)


def _authenticated(call: HttpCall, given: Fields, notes: list[str]) -> tuple[HttpCall, bool]:
    match given.text("type").lower():
        case "" | "none":
            return call, True
        case "basic":
            found = basic(given.text("username"), given.text("password") or None)
        case "activedirectoryoauth":
            found = {
                "type": "ActiveDirectoryOAuth",
                **{name: given.text(name) for name in ("tenant", "audience", "clientId")},
                "secret": hidden("secret", "the secret of the application", _secret(given)),
            }
        case "clientcertificate":
            found = _certificate(given)
        case "raw":
            headers = {**call.headers, "Authorization": given.text("value")}
            return structs.replace(call, headers=headers), True
        case _:
            notes.append(
                f"it authenticates by {given.text('type')}, which Foliot cannot: the job is "
                "disabled until it has another authentication"
            )
            return call, False
    return structs.replace(call, authentication=found), True


def _secret(given: Fields) -> str | None:
    return given.text("secret") or None


def _certificate(given: Fields) -> dict[str, Any]:
    return {
        "type": "ClientCertificate",
        "pfx": hidden("pfx", "the client certificate in base64", given.text("pfx") or None),
        "password": hidden(
            "pfx_password", "the password of the certificate", given.text("password") or None
        ),
    }


def _retry_policy(given: Fields, notes: list[str]) -> dict[str, Any]:
    count = given.number("count", _RETRIES)
    match given.text("type").lower():
        case "none":
            return dict(NO_RETRIES)
        case "fixed":
            every = _seconds(given.text("interval"), _FIRST_PAUSE)
            return retries(count, every, notes=notes, **_TRANSIENT)
        case "" | "exponential":
            first = _seconds(given.text("interval"), _FIRST_PAUSE)
            longest = _seconds(given.text("maximumInterval"), max(_LONGEST_PAUSE, first))
            return exponential_retries(count, first, longest, notes=notes, **_TRANSIENT)
        case other:
            raise Invalid((), f"the retry policy {shown(other)} is not known.")


def _seconds(text: str, default: float) -> float:
    if not text:
        return default
    days = _DAYS.fullmatch(text)
    if days is not None:
        return int(days[1]) * 86_400
    match = _DURATION.fullmatch(text)
    if match is None:
        raise Invalid((), f"{shown(text)} is not a duration such as PT30S.")
    hours, minutes, seconds = match.groups(default="0")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)
