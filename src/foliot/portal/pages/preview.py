"""The preview of the schedule in the job form: the next runs, or all problems of the schedule."""

import asyncio

from starlette.responses import Response

from foliot.app.job_previews import SaveContext, limits_broken
from foliot.core.errors import FoliotError
from foliot.core.ids import CollectionKey
from foliot.core.model.collection import Collection, Sku
from foliot.portal.forms.collection import INTO, key_from_text
from foliot.portal.forms.job import CRON
from foliot.portal.forms.problems import Problems, summary_of
from foliot.portal.forms.schedule_read import read_schedule
from foliot.portal.page_request import PageRequest
from foliot.portal.preview import DAYS, Preview, is_time_of, preview

_PLAN = "properties.sku.name"
_PLANS = {each.value: each for each in Sku}
_NOWHERE = CollectionKey("", "", "")


async def show(request: PageRequest) -> Response:
    """Show the next runs of the schedule in the form, before it is saved."""
    try:
        context = await _context(request)
        job = await asyncio.to_thread(read_schedule, request.query, context)
        if isinstance(job, dict):
            return _part(request, None, _without_untyped(request, job))
        return _part(request, preview(job, request.now), {}, *limits_broken(context, job))
    except FoliotError as refusal:
        return _part(request, None, {"": str(refusal)})


def _without_untyped(request: PageRequest, problems: Problems) -> Problems:
    """Return the problems without that of an expression that nobody has typed yet."""
    if request.query.get(CRON).strip():
        return problems
    return {field: words for field, words in problems.items() if field != CRON}


async def _context(request: PageRequest) -> SaveContext:
    """Return what a save would find; a new job may have no collection yet."""
    is_inside = "collection" in request.names
    key = request.key if is_inside else key_from_text(request.query.get(INTO))
    name = request.query.get("of") or None
    if key is not None:
        return await request.use_cases.job_previews.context(
            request.who, key, name, must_exist=name is not None
        )
    plan = _PLANS.get(request.query.get(_PLAN), Sku.STANDARD)
    return SaveContext(
        collection=Collection(key=_NOWHERE, sku=plan),
        job=None,
        name=None,
        job_count=0,
        at=request.now,
        defaults=request.use_cases.jobs.defaults,
    )


def _part(
    request: PageRequest, shown: Preview | None, problems: Problems, *refusals: str
) -> Response:
    return request.render_part(
        "preview.html",
        shown=shown,
        summary=summary_of(problems),
        problems=problems,
        refusals=[each[:1].upper() + each[1:] for each in refusals],
        is_my_time=shown is not None and is_time_of(shown, request.zone),
        days=DAYS,
        rows=2,
    )
