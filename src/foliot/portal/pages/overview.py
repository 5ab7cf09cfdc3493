"""The overview page: running, failed and due jobs, refreshed every few seconds."""

from typing import Any, Final

from starlette.responses import Response

from foliot.app.dashboard import COUNTED_TO, Overview, sees_everything
from foliot.core.instant import MINUTE
from foliot.core.model.node import is_alive
from foliot.core.rules.job_sentence import job_sentence
from foliot.portal.charts.last_hour import per_minute
from foliot.portal.collection_names import naming_of
from foliot.portal.failure_rows import group_row
from foliot.portal.page_request import PageRequest, fingerprint_of
from foliot.portal.pages.collections import may_create
from foliot.portal.pages.first_steps import guide_of, mark_of

_LISTED: Final = 10
_RETRIED: Final = 5
_LAST_DAY: Final = {"since": "24h"}


async def show(request: PageRequest) -> Response:
    """Show the overview."""
    values = _values(request, await request.use_cases.dashboard.overview(request.who))
    has_any = bool(await request.use_cases.dashboard.collections(request.who, limit=1))
    guide = await guide_of(request)
    values |= {"guide": guide, "guide_mark": mark_of(guide)}
    return request.render_page(
        "overview.html", has_any=has_any, may_create=await may_create(request), **values
    )


async def show_live(request: PageRequest) -> Response:
    """Show the part of the overview that the page refreshes."""
    values = _values(request, await request.use_cases.dashboard.overview(request.who))
    return request.render_part_if_changed("overview_live.html", values.pop("fingerprint"), **values)


def _values(request: PageRequest, seen: Overview) -> dict[str, Any]:
    coming = [(each, job_sentence(each.job, request.now)) for each in seen.coming]
    keys = [each.key for each in seen.running]
    return {
        "naming": naming_of([*keys, *(each.collection.key for each in seen.coming)]),
        "fingerprint": fingerprint_of(
            seen.totals,
            seen.at // MINUTE,
            seen.attempt_samples[-1:],
            [each.run.id for each in seen.running],
            [(each.newest, each.runs, each.rerun) for each in seen.failures.groups],
            seen.failures.muted_runs,
            seen.retries,
            [(each.job.id, each.job.next_at) for each in seen.coming],
        ),
        "seen": seen,
        "coming": coming,
        "counted_to": COUNTED_TO,
        "failing": [group_row(each, _LAST_DAY) for each in seen.failures.groups[:_LISTED]],
        "retrying": [group_row(each.group, {}) for each in seen.retries.groups[:_RETRIED]],
        "sees_all": sees_everything(request.who),
        "minutes": per_minute(seen.attempt_samples, seen.at),
        "facts": request.context.facts,
        "is_alive": is_alive,
    }
