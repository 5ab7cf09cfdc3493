"""Alerts of a collection: list, show, test, enable, disable, delete."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from msgspec import Struct
from starlette.responses import Response

from foliot.app.alert_tests import TestedDestination
from foliot.app.alerts import FoundAlert
from foliot.app.listing_page import Page
from foliot.core.credentials import masked_alert
from foliot.core.model.alert import (
    Alert,
    AlertDestination,
    EmailDestination,
    SlackDestination,
    WebhookDestination,
)
from foliot.core.model.token import Role
from foliot.core.plurals import how_many
from foliot.core.rules.alert_limits import MAX_ALERTS_OF_COLLECTION, host_of
from foliot.dispatch.alerts.bodies import EVENT_WORDS
from foliot.portal import urls
from foliot.portal.formatting import span
from foliot.portal.page_request import BAD, GOOD, Notice, PageRequest
from foliot.portal.pages.jobs import collection_values

_ALL = MAX_ALERTS_OF_COLLECTION
_INCIDENTS = 20
# Of the ten destinations that an alert may have, the outcomes fit into a cookie.
_LONGEST_OUTCOME = 220


class AlertRow(Struct, frozen=True):
    """An alert in the list: what it tells and to whom, in words."""

    found: FoundAlert
    conditions: Sequence[str]
    destinations: Sequence[str]


async def show_all(request: PageRequest) -> Response:
    """Show the alerts of a collection."""
    counted = await request.use_cases.dashboard.collection(request.who, request.key)
    _, found = await request.use_cases.alerts.list_alerts(
        request.who, request.key, Page(after=None, skip=0, limit=_ALL)
    )
    return request.render_page(
        "alerts.html",
        rows=[row_of_alert(request, each, is_short=True) for each in found],
        most_alerts=_ALL,
        **collection_values(counted, "alerts"),
    )


async def test(request: PageRequest) -> Response:
    """Send a test message to each destination; the page of the alert tells once how each ended."""
    name = request.names["alert"]
    tested = await request.use_cases.alert_tests.test_alert(request.who, request.key, name)
    return request.redirect(urls.alert(request.key, name), *map(_notice, tested))


async def enable(request: PageRequest) -> Response:
    """Enable an alert."""
    return await _set_state(request, is_enabled=True)


async def disable(request: PageRequest) -> Response:
    """Disable an alert: it sends nothing."""
    return await _set_state(request, is_enabled=False)


async def delete(request: PageRequest) -> Response:
    """Delete an alert."""
    name = request.names["alert"]
    await request.use_cases.alerts.delete_alert(request.who, request.key, name)
    return request.redirect(
        urls.collection(request.key, "alerts"), (GOOD, f"Alert {name} deleted.")
    )


async def _set_state(request: PageRequest, *, is_enabled: bool) -> Response:
    name = request.names["alert"]
    await request.use_cases.alerts.set_alert_state(
        request.who, request.key, name, is_enabled=is_enabled
    )
    words = "Alert enabled." if is_enabled else "Alert disabled: it sends nothing."
    return request.redirect(urls.alert(request.key, name), (GOOD, words))


async def show(request: PageRequest) -> Response:
    """Show an alert."""
    found = await request.use_cases.alerts.get_alert(
        request.who, request.key, request.names["alert"]
    )
    row = row_of_alert(request, found)
    incidents = await request.use_cases.alerts.recent_incidents(
        request.who, request.key, found.alert.name, limit=_INCIDENTS
    )
    return request.render_page(
        "alert.html",
        incidents=incidents,
        event_words=EVENT_WORDS,
        key=found.collection.key,
        alert=row.found.alert,
        status=found.status,
        conditions=row.conditions,
        destinations=list(zip(row.destinations, found.status.of_each_destination, strict=True)),
        quiet=_quiet(found.alert),
    )


def row_of_alert(request: PageRequest, found: FoundAlert, *, is_short: bool = False) -> AlertRow:
    """Return an alert in words; readers see no credentials."""
    alert = masked_alert(found.alert) if request.who.role is Role.READER else found.alert
    destinations = [
        destination_words(each, is_short=is_short) for each in alert.definition.destinations
    ]
    return AlertRow(found, condition_words(alert), destinations)


def _notice(tested: TestedDestination) -> Notice:
    ended = "succeeded" if tested.succeeded else "failed"
    words = f"{destination_words(tested.destination)}: the test {ended}. {tested.message}"
    cut = words if len(words) <= _LONGEST_OUTCOME else f"{words[:_LONGEST_OUTCOME]}…"
    return GOOD if tested.succeeded else BAD, cut


def condition_words(alert: Alert) -> list[str]:
    """Say what an alert tells."""
    when = alert.definition.conditions
    said: list[str] = []
    if when.failed_in_a_row is not None:
        one = when.failed_in_a_row == 1
        said.append("a run failed" if one else f"{when.failed_in_a_row} runs in a row failed")
    if when.late_by is not None:
        said.append(f"a run is more than {span(when.late_by.ticks)} late")
    if when.no_success_intervals is not None:
        said.append(f"no success for {how_many(when.no_success_intervals, 'interval')}")
    if when.paused:
        said.append("a job was paused by its policy")
    if when.expiring_within is not None:
        period = span(when.expiring_within.ticks)
        said.append(f"a certificate or SAS token expires within {period}")
    return said


def destination_words(destination: AlertDestination, *, is_short: bool = False) -> str:
    """Say where messages go: an address without its query, a host, or recipients."""
    match destination:
        case WebhookDestination(uri=uri):
            return f"Webhook {host_of(uri)}{'' if is_short else urlsplit(uri).path}"
        case SlackDestination(uri=address):
            return f"Slack at {host_of(address.reveal())}"
        case EmailDestination(to=recipients):
            return f"E-mail to {', '.join(recipients)}"


def _quiet(alert: Alert) -> str:
    hours = alert.definition.quiet_hours
    if hours is None:
        return ""
    begin, end = (f"{each // 60:02}:{each % 60:02}" for each in (hours.begin, hours.end))
    return f"{begin} to {end}, {hours.time_zone}"
