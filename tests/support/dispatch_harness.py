"""Errands with defaults, and dispatchers that are closed after a test."""

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from foliot.core.instant import parse_instant
from foliot.core.model.action import Action, ActionKind, HttpRequest
from foliot.core.model.attempt import Errand, Outcome
from foliot.dispatch.egress.rules import EgressRules
from foliot.dispatch.http.attempt import HttpDispatcher
from foliot.dispatch.http.http_settings import HttpSettings
from tests.support.builders import NOW, a_key

Result = TypeVar("Result")

TAG = "0123456789abcdef0123456789abcdef"
REQUEST_ID = "fedcba9876543210fedcba9876543210"


def run(steps: Coroutine[Any, Any, Result]) -> Result:
    return asyncio.run(steps)


def an_errand(uri: str, *, method: str = "GET", **fields: Any) -> Errand:
    part = HttpRequest(uri=uri, method=method, **fields)
    return errand_for(Action(kind=ActionKind.HTTP, part=part))


def errand_for(action: Action) -> Errand:
    return Errand(
        action=action,
        collection=a_key("Billing"),
        job="Nightly",
        region="West Europe",
        expected_at=parse_instant("2026-01-10T08:30:00.5Z"),
        tag=TAG,
        request_id=REQUEST_ID,
    )


@asynccontextmanager
async def dispatcher(
    egress: EgressRules | None = None, **settings: Any
) -> AsyncGenerator[HttpDispatcher]:
    """Open an HTTP dispatcher that gives up soon, for the length of a block."""
    given = HttpSettings(**{"timeout_seconds": 5, **settings})
    opened = HttpDispatcher(egress or EgressRules(), lambda: NOW, given)
    try:
        yield opened
    finally:
        await opened.close()


async def outcome_of(uri: str, *, method: str = "GET", **fields: Any) -> Outcome:
    """Make one attempt with a dispatcher of its own."""
    async with dispatcher() as opened:
        return await opened.dispatch(an_errand(uri, method=method, **fields))


async def message_of(uri: str, *, method: str = "GET", **fields: Any) -> str:
    return (await outcome_of(uri, method=method, **fields)).message
