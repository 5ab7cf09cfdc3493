"""The form of an alert: create and edit."""

from msgspec import Struct, json
from starlette.responses import Response

from foliot.api.wire.alert import decode_alert, encode_alert_properties, replace_alert
from foliot.core.access import require
from foliot.core.errors import Conflict, Invalid
from foliot.core.ids import check_name
from foliot.core.json_text import Json, parse_json
from foliot.core.model.alert import Alert, AlertDefinition
from foliot.core.model.token import Role
from foliot.core.rules.alert_limits import MAX_DESTINATIONS
from foliot.portal import urls
from foliot.portal.forms.alert import (
    ALERT_FORM,
    BLANK_ALERT,
    QUIET_ZONE,
    form_body,
    in_form,
    kept_secrets_of,
    slack_hosts,
    slot,
    wire_body,
)
from foliot.portal.forms.conflict import (
    ChangedMeanwhile,
    LastChange,
    Merged,
    NameTaken,
    merge_forms,
    problem_of_conflict,
    with_theirs,
)
from foliot.portal.forms.fields import Values, posted_values, read_values, write_body
from foliot.portal.forms.labels import label_of
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems, describe_problem, problems_of, summary_of
from foliot.portal.forms.zones import zone_options
from foliot.portal.page_request import GOOD, PageRequest

_BAD_REQUEST, _CONFLICT = 400, 409
_LEAST_SLOTS = 2
_TYPES = (("", "none"), ("webhook", "webhook"), ("slack", "Slack"), ("email", "e-mail"))


class _AlertDraft(Struct, frozen=True, kw_only=True):
    """The contents of an alert form, and its problems."""

    values: Values
    original: Json
    name: str = ""
    alert: Alert | None = None
    problems: Problems = {}
    status: int = 200
    merged: Merged | None = None


async def show_new(request: PageRequest) -> Response:
    """Show the form of a new alert."""
    require(request.who, Role.CONTRIBUTOR)
    await request.use_cases.collections.get_collection(request.who, request.key)
    values = read_values(BLANK_ALERT, ALERT_FORM)
    if request.zone is not None:
        values = {**values, QUIET_ZONE: [request.zone.key]}
    return _show(request, _AlertDraft(values=values, original=BLANK_ALERT))


async def create(request: PageRequest) -> Response:
    """Create an alert from the form."""
    require(request.who, Role.CONTRIBUTOR)
    name = request.form.get("name").strip()

    def revise(old: Alert | None) -> tuple[AlertDefinition, bool]:
        if old is not None:
            raise NameTaken("name", f"Alert '{old.name}' exists already.")
        return _read(request, request.form, BLANK_ALERT, None)

    problems = _problems(request, request.form, BLANK_ALERT, None)
    try:
        check_name(("name",), name)
    except Invalid as refusal:
        problems = {"name": describe_problem("name", refusal.problem), **problems}
    status = _BAD_REQUEST
    try:
        if not problems:
            alerts = request.use_cases.alerts
            saved = await alerts.save_alert(request.who, request.key, name, revise)
            address = urls.alert(saved.collection.key, saved.alert.name)
            return request.redirect(address, (GOOD, "Alert created. Send a test to try it."))
    except Conflict as refusal:
        problems, status = problem_of_conflict(refusal), _CONFLICT
    values = posted_values(request.form, ALERT_FORM)
    draft = _AlertDraft(
        values=values, original=BLANK_ALERT, name=name, problems=problems, status=status
    )
    return _show(request, draft)


async def show_edit(request: PageRequest) -> Response:
    """Show the form of an alert."""
    require(request.who, Role.CONTRIBUTOR)
    alert = await _stored(request)
    original = form_body(encode_alert_properties(alert))
    draft = _AlertDraft(values=read_values(original, ALERT_FORM), original=original, alert=alert)
    return _show(request, draft)


async def save(request: PageRequest) -> Response:
    """Save the form of an alert."""
    require(request.who, Role.CONTRIBUTOR)
    original = parse_json(request.form.get("was").encode())
    form = with_theirs(request.form, ALERT_FORM, original)
    alert = await _stored(request)

    def revise(old: Alert | None) -> tuple[AlertDefinition, bool]:
        assert old is not None  # noqa: S101  (it must exist)
        if form_body(encode_alert_properties(old)) != original:
            raise ChangedMeanwhile
        return _read(request, form, original, old)

    problems, merged, status = _problems(request, form, original, alert), None, _BAD_REQUEST
    try:
        if not problems:
            saved = await request.use_cases.alerts.save_alert(
                request.who, request.key, alert.name, revise, must_exist=True
            )
            address = urls.alert(saved.collection.key, saved.alert.name)
            return request.redirect(address, (GOOD, "Saved."))
    except ChangedMeanwhile:
        alert = await _stored(request)
        theirs = form_body(encode_alert_properties(alert))
        merged, status = merge_forms(form, ALERT_FORM, original, theirs), _CONFLICT
        merged = merged._replace(change=LastChange(alert.changed_by, alert.changed_at))
        original = theirs
    except Conflict as refusal:
        problems, status = {"": str(refusal)}, _CONFLICT
    draft = _AlertDraft(
        values=merged.values if merged else posted_values(form, ALERT_FORM),
        original=original,
        alert=alert,
        problems=problems,
        status=status,
        merged=merged,
    )
    return _show(request, draft)


async def _stored(request: PageRequest) -> Alert:
    alerts = request.use_cases.alerts
    return (await alerts.get_alert(request.who, request.key, request.names["alert"])).alert


def _problems(request: PageRequest, form: Form, original: Json, old: Alert | None) -> Problems:
    before = read_values(original, ALERT_FORM)
    return problems_of(form, ALERT_FORM, lambda tried: _read(request, tried, original, old), before)


def _read(
    request: PageRequest, form: Form, original: Json, old: Alert | None
) -> tuple[AlertDefinition, bool]:
    """Return the alert of a form; a refusal has the path of its field."""
    edited = write_body(form, ALERT_FORM, original)
    name = request.form.get("name").strip() if old is None else old.name
    try:
        return replace_alert(old, decode_alert(wire_body(edited), request.key, name))
    except Invalid as refusal:
        raise in_form(refusal, edited) from None


def _show(request: PageRequest, draft: _AlertDraft) -> Response:
    alert = draft.alert
    stored: Json = None if alert is None else encode_alert_properties(alert)
    used = [
        index
        for index in range(MAX_DESTINATIONS)
        if any(draft.values.get(f"{slot(index)}.type", ()))
    ]
    shown = min(MAX_DESTINATIONS, max([_LEAST_SLOTS, *(index + 2 for index in used)]))
    return request.render_page(
        "alert_form.html",
        http_status=draft.status,
        key=request.key,
        alert=alert,
        name=draft.name,
        values=draft.values,
        problems=draft.problems,
        summary=summary_of(draft.problems),
        merged=draft.merged,
        label_of=label_of,
        original=json.encode(draft.original).decode(),
        kept=kept_secrets_of(stored),
        copied=(),
        hosts=slack_hosts(stored),
        slots=[slot(index) for index in range(shown)],
        types=_TYPES,
        zones=zone_options(request.zone),
        has_email=request.use_cases.alerts.can_send_email,
    )
