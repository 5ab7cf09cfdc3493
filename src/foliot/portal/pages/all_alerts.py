"""The list of all alerts across collections, and the way to a new one."""

from typing import Any, Final

from starlette.responses import Response

from foliot.portal import urls
from foliot.portal.choice_problem import problem_of_choice
from foliot.portal.collection_names import naming_of
from foliot.portal.page_request import BAD, PageRequest, fingerprint_of
from foliot.portal.pages.alerts import row_of_alert

PATH: Final = "/alerts"
NEW_PATH: Final = f"{PATH}/new"
_LISTED: Final = 100
_COLLECTIONS: Final = 200
_MOST_CHARACTERS: Final = 200


async def show(request: PageRequest) -> Response:
    """Show the alerts within the visitor's scope, by name."""
    search = request.query.get("q").strip()[:_MOST_CHARACTERS]
    listed = await request.use_cases.alerts.find_alerts(request.who, search, limit=_LISTED + 1)
    found = listed.found
    rows = [row_of_alert(request, each, is_short=True) for each in found[:_LISTED]]
    fingerprint = fingerprint_of(
        [
            (each.alert.id, each.alert.changed_at, each.alert.is_enabled, each.status)
            for each in found
        ],
        listed.unreadable,
    )
    values: dict[str, Any] = {
        "rows": rows,
        "search": search,
        "is_cut": len(found) > _LISTED,
        "most": _LISTED,
        "unreadable": listed.unreadable,
        "naming": naming_of(
            [each.collection.key for each in found] + [each.key for each in listed.unreadable]
        ),
        "live": urls.with_query(PATH, q=search, seen=fingerprint),
    }
    if request.is_partial:
        return request.render_part_if_changed("all_alert_list.html", fingerprint, **values)
    others = await request.use_cases.dashboard.collections(request.who, limit=_COLLECTIONS)
    keys = [each.collection.key for each in others]
    return request.render_page(
        "all_alerts.html", collections=keys, choice_naming=naming_of(keys), **values
    )


async def show_new(request: PageRequest) -> Response:
    """Redirect to the form of a new alert in the chosen collection."""
    key = request.chosen_key
    if key is None:
        words = problem_of_choice(request) or "Choose the collection whose jobs the alert watches."
        return request.redirect(PATH, (BAD, words))
    return request.redirect(urls.collection(key, "new-alert"))
