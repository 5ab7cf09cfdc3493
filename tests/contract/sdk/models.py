"""Builders of the client's models: a test names only what matters."""

from datetime import UTC, datetime, timedelta
from typing import Any

from azure.mgmt.scheduler.models import (
    HttpRequest,
    JobAction,
    JobCollectionDefinition,
    JobCollectionProperties,
    JobDefinition,
    JobProperties,
    Sku,
)

from foliot.core.instant import format_instant
from foliot.ports import clock


def _first_monday_of_march(year: int) -> datetime:
    first = datetime(year, 3, 1, 6, 30, tzinfo=UTC)
    return first + timedelta(days=-first.weekday() % 7)


GROUP = "finance"
# Next year: no job of these tests is due while they run, and none is too far ahead to be taken.
START = _first_monday_of_march(int(format_instant(clock.now())[:4]) + 1)


def a_collection(sku: str = "Standard", **properties: Any) -> JobCollectionDefinition:
    """Return a collection on a plan; further properties as given."""
    return JobCollectionDefinition(
        location="westeurope", properties=JobCollectionProperties(sku=Sku(name=sku), **properties)
    )


def http_action(**properties: Any) -> JobAction:
    """Return an action that calls an address."""
    request = HttpRequest(uri="https://ledger.invalid/close", method="POST")
    return JobAction(**{"type": "Http", "request": request} | properties)


def a_job(**properties: Any) -> JobDefinition:
    """Return a job that calls an address one day; further properties as given."""
    given = {"start_time": START, "action": http_action()} | properties
    return JobDefinition(properties=JobProperties(**given))
