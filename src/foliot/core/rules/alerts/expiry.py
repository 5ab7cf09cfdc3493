"""Finds when a client certificate or a SAS token of a job expires."""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from foliot.core.errors import Invalid
from foliot.core.instant import Instant, parse_instant
from foliot.core.model.action import Action, ClientCertificate, HttpRequest, QueueMessage
from foliot.core.model.job import Job

_CERTIFICATE = "client certificate"
_SAS = "SAS token"


class Expiry(NamedTuple):
    """When a credential expires, and which kind it is."""

    at: Instant
    what: str


def earliest_expiry(job: Job) -> Expiry | None:
    """Return the credential of a job, its error action included, that expires first."""
    return min(_expiries(job.definition.action), default=None)


def _expiries(action: Action) -> Iterator[Expiry]:
    match action.part:
        case HttpRequest(authentication=ClientCertificate(expires_at=at)) if at is not None:
            yield Expiry(at, _CERTIFICATE)
        case HttpRequest(uri=uri):
            yield from _signed_until(urlsplit(uri).query)
        case QueueMessage(sas_token=token) if token is not None:
            yield from _signed_until(token.reveal().removeprefix("?"))
        case _:
            pass
    if action.error_action is not None:
        yield from _expiries(action.error_action)


def _signed_until(query: str) -> Iterator[Expiry]:
    """Yield the expiry of a shared access signature, `se`; only one with a signature is such."""
    given = parse_qs(query)
    if "sig" not in given:
        return
    for text in given.get("se", ())[:1]:
        try:
            yield Expiry(parse_instant(text), _SAS)
        except Invalid:
            return
