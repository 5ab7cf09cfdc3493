"""Alerts of a collection: who is told what about its jobs."""

from foliot.api.call import ApiResponse, Call
from foliot.api.paging import listing, window_of
from foliot.api.wire.alert import decode_alert, encode_alert, patch_alert, replace_alert
from foliot.api.wire.alert_test import decode_alert_test, encode_tested
from foliot.app.alerts import FoundAlert
from foliot.app.use_cases import UseCases
from foliot.core.credentials import masked_alert
from foliot.core.json_text import Json
from foliot.core.model.alert import Alert, AlertDefinition
from foliot.core.model.token import Role


async def list_alerts(use_cases: UseCases, call: Call) -> ApiResponse:
    """List the alerts of a collection."""
    window = window_of(call, str.lower)
    _, found = await use_cases.alerts.list_alerts(call.who, call.key, window.page)
    alerts, last = window.split(found)
    values: list[Json] = [_encoded(call, each) for each in alerts]
    return listing(call, values, None if last is None else last.alert.name.lower())


async def get(use_cases: UseCases, call: Call) -> ApiResponse:
    """Show an alert, with its open incidents and what was sent last."""
    return _answer(call, await use_cases.alerts.get_alert(call.who, call.key, _name(call)))


async def put(use_cases: UseCases, call: Call) -> ApiResponse:
    """Create or replace an alert."""
    given = decode_alert(call.json(), call.key, _name(call))
    saved = await use_cases.alerts.save_alert(
        call.who, call.key, _name(call), lambda old: replace_alert(old, given)
    )
    return _answer(call, saved)


async def patch(use_cases: UseCases, call: Call) -> ApiResponse:
    """Change parts of an alert."""
    body = call.json()

    def revise(old: Alert | None) -> tuple[AlertDefinition, bool]:
        assert old is not None  # noqa: S101  (it must exist)
        return patch_alert(old, body, call.key)

    saved = await use_cases.alerts.save_alert(
        call.who, call.key, _name(call), revise, must_exist=True
    )
    return _answer(call, saved)


async def delete(use_cases: UseCases, call: Call) -> ApiResponse:
    """Remove an alert with its incidents."""
    await use_cases.alerts.delete_alert(call.who, call.key, _name(call))
    return ApiResponse()


async def test(use_cases: UseCases, call: Call) -> ApiResponse:
    """Send a test message to the destinations of an alert, or to one; nothing is stored."""
    index = decode_alert_test(call.json()) if call.body else None
    tested = await use_cases.alert_tests.test_alert(call.who, call.key, _name(call), index)
    values: list[Json] = [
        encode_tested(each.index, each.destination, each.message, succeeded=each.succeeded)
        for each in tested
    ]
    return ApiResponse(content={"value": values})


def _answer(call: Call, saved: FoundAlert) -> ApiResponse:
    return ApiResponse(201 if saved.is_new else 200, _encoded(call, saved))


def _encoded(call: Call, found: FoundAlert) -> Json:
    """Write an alert; who may not change it does not see credentials that stand in the open."""
    alert = masked_alert(found.alert) if call.who.role is Role.READER else found.alert
    return encode_alert(found.collection.key, alert, found.status)


def _name(call: Call) -> str:
    return call.names["alert"]
