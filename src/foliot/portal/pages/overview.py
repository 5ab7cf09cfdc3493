"""The overview: what runs, what failed, what comes; live."""

from typing import Any

from starlette.responses import Response

from foliot.app.dashboard import COUNTED_TO, Overview, sees_everything
from foliot.core.instant import MINUTE
from foliot.core.model.node import is_alive
from foliot.core.recurrence import sentence
from foliot.core.rules.lifecycle import timetable_of
from foliot.portal.charts.last_hour import per_minute
from foliot.portal.collection_names import naming_of
from foliot.portal.page_request import Visit, mark_of
from foliot.portal.pages.collections import may_create


async def show(visit: Visit) -> Response:
    """Show what goes on."""
    values = _values(visit, await visit.use_cases.dashboard.overview(visit.who))
    has_any = bool(await visit.use_cases.dashboard.collections(visit.who, limit=1))
    return visit.page(
        "overview.html", has_any=has_any, may_create=await may_create(visit), **values
    )


async def show_live(visit: Visit) -> Response:
    """Show the part of it that changes."""
    values = _values(visit, await visit.use_cases.dashboard.overview(visit.who))
    return visit.part_if_new("overview_live.html", values.pop("mark"), **values)


def _values(visit: Visit, seen: Overview) -> dict[str, Any]:
    coming = [(each, sentence(timetable_of(each.job))) for each in seen.coming]
    keys = [each.key for each in (*seen.failing, *seen.running)]
    return {
        "naming": naming_of([*keys, *(each.collection.key for each in seen.coming)]),
        "mark": mark_of(
            seen.tally,
            seen.at // MINUTE,
            seen.beats[-1:],
            [each.run.id for each in seen.running],
            [each.latest.number for each in seen.failing],
            [(each.job.id, each.job.next_at) for each in seen.coming],
        ),
        "seen": seen,
        "coming": coming,
        "counted_to": COUNTED_TO,
        "sees_all": sees_everything(visit.who),
        "minutes": per_minute(seen.beats, seen.at),
        "facts": visit.desk.facts,
        "is_alive": is_alive,
    }
