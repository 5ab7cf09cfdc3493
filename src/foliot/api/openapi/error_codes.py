"""Writes docs/reference/errors.md from the table of errors: `make api-reference`."""

import sys
from collections.abc import Iterator

from foliot.api.errors import OTHER_CODES, STATUSES
from foliot.web.server import refusals

_INTRODUCTION = """\
# Errors

<!-- Written by `make api-reference` from the table in src/foliot/api/errors.py. -->

The body of a refusal is always `{"error": {"code": "…", "message": "…"}}`. Programs decide by status and code; the
message is for people, names the field, the value and what would be right, and may change. A refused request has
changed nothing. Every answer has `x-ms-request-id`, which the [log](../how-to/logs.md) of the server has too.

Other codes are described elsewhere: why an attempt of a job failed is its [reason](retries.md#reasons), why an
occurrence did not run is in [policies](policies.md#reasons-of-skipped-occurrences), and how a command ended is its
[exit code](command-line.md#exit-codes).

| status | code | when | what to do |
|---|---|---|---|
"""  # noqa: E501  (lines of a document)
# When a code is answered, and what its caller does about it.
MEANINGS = {
    "BadRequest": (
        "a value of the body is not valid, or the request is not HTTP",
        "correct what the message names",
    ),
    "MissingOrInvalidRequiredQueryParameter": (
        "a parameter of the query is missing or not valid",
        "correct what the message names",
    ),
    "MissingOrIncorrectVersionHeader": (
        "`api-version` is missing or unknown",
        "add `?api-version=2026-11-01`, or another one that the message lists",
    ),
    "AuthenticationFailed": (
        "no token, or one that is unknown, revoked or expired",
        "send `Authorization: Bearer TOKEN` with a [token](../how-to/tokens.md) of this server",
    ),
    "AuthorizationFailed": (
        "the role does not allow it, or the scope lacks `/metrics`, `/nodes` or all of a group",
        "use a token with a larger role or scope",
    ),
    "SubscriptionNotFound": (
        "the scope of the token has nothing in this subscription",
        "check the name and the scope",
    ),
    "ResourceGroupNotFound": (
        "no such resource group, or none in the scope",
        "check the name and the scope",
    ),
    "ResourceNotFound": (
        "no such collection, or none in the scope",
        "create the collection first, or check the scope",
    ),
    "NotFound": (
        "no such job, calendar, open run or path",
        "check the name; a run that has ended is not open",
    ),
    "DeploymentNotFound": (
        "no such deployment or operation, or none in the scope",
        "check the name and the scope",
    ),
    "InvalidHttpVerb": ("the path has no such method", "`Allow` lists its methods"),
    "RequestTimeout": (
        "a head or a body came too slowly: more than 15 s, or less than 1 KiB/s after 10 s",
        "send it again, faster",
    ),
    "ConflictError": (
        "the present state does not allow it: a plan, a quota, a final state, a fixed location",
        "the message says what is in the way; a job that is damaged can only be deleted",
    ),
    "TooManyRequests": (
        "an alert was tested more often than the plan of its collection allows",
        "try again after `Retry-After`",
    ),
    "RequestEntityTooLarge": (
        "a body of more than 1 MiB, or 4 MiB with a template; refused before it is read completely",
        "send a smaller one",
    ),
    "InternalError": ("an error in the server", "its log has the details; please report it"),
    "NotImplemented": (
        "a transfer coding other than `chunked`; the connection is closed",
        "send a length, or chunks",
    ),
    "ServerBusy": (
        "the database does not answer",
        "try again after `Retry-After`; `/readyz` says when it is back",
    ),
    "HttpVersionNotSupported": (
        "neither HTTP/1.1 nor 1.0; the connection is closed",
        "use HTTP/1.1",
    ),
}


def codes() -> set[tuple[int, str]]:
    """Return each status and code that a call can be answered with."""
    made = {*STATUSES.values(), *OTHER_CODES}
    for refusal in (refusals.UNKNOWN_CODING, refusals.WRONG_VERSION, refusals.TOO_SLOW):
        made.add((refusal.status.value, refusal.code))
    return made


def errors_page() -> str:
    """Return the page."""
    return _INTRODUCTION + "".join(_rows())


def _rows() -> Iterator[str]:
    for status, code in sorted(codes()):
        when, remedy = MEANINGS[code]
        yield f"| {status} | `{code}` | {when} | {remedy} |\n"


if __name__ == "__main__":
    sys.stdout.write(errors_page())
