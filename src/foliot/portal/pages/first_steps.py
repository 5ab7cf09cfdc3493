"""The first steps on the overview of a new installation: a job, a run, an alert."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from starlette.responses import Response

from foliot.app.listing_page import Page
from foliot.core.access import require
from foliot.core.ids import CollectionKey
from foliot.core.model.collection import Collection
from foliot.core.model.job import Job
from foliot.core.model.token import Role
from foliot.portal import urls
from foliot.portal.page_request import PageRequest, fingerprint_of

PATH: Final = "/first-steps"
# An installation with more collections or jobs is not new; the page reads all of them.
_MOST_COLLECTIONS: Final = 5
_MOST_JOBS: Final = 100
_STEPS: Final = 3
_DISMISSED: Final = "dismissed"


class Guide(NamedTuple):
    """How far a new installation is: its first job, whether it ran, and an alert."""

    collection: Collection | None = None
    job: Job | None = None
    has_run: bool = False
    has_alert: bool = False

    @property
    def done(self) -> int:
        """The number of steps that are done."""
        return sum((self.job is not None, self.has_run, self.has_alert))

    @property
    def job_address(self) -> str:
        """The page of the first job."""
        if self.collection is None or self.job is None:
            return ""
        return urls.job(self.collection.key, self.job.name)

    @property
    def alert_address(self) -> str:
        """The form of a new alert."""
        return "" if self.collection is None else urls.collection(self.collection.key, "new-alert")


async def guide_of(request: PageRequest) -> Guide | None:
    """Return the steps of a new installation; None if it is not new, all is done or dismissed."""
    if request.who.role is Role.READER or request.cookies.guide == _DISMISSED:
        return None
    dashboard = request.use_cases.dashboard
    found = await dashboard.collections(request.who, limit=_MOST_COLLECTIONS + 1)
    if not found:
        return Guide()
    if len(found) > _MOST_COLLECTIONS or sum(each.job_count for each in found) > _MOST_JOBS:
        return None
    guide = await _guide_in(request, [each.collection for each in found])
    return None if guide.done == _STEPS else guide


async def _guide_in(request: PageRequest, collections: Sequence[Collection]) -> Guide:
    dashboard = request.use_cases.dashboard
    jobs = {
        job.id: (collection, job)
        for collection in collections
        for job in (await dashboard.jobs(request.who, collection.key)).jobs
    }
    collection, job = jobs[min(jobs)] if jobs else (collections[0], None)
    return Guide(
        collection,
        job,
        has_run=any(each.last_execution_at is not None for _, each in jobs.values()),
        has_alert=any([await _has_alert(request, each.key) for each in collections]),
    )


async def _has_alert(request: PageRequest, key: CollectionKey) -> bool:
    _, alerts = await request.use_cases.alerts.list_alerts(request.who, key, Page(limit=1))
    return bool(alerts)


async def show(request: PageRequest) -> Response:
    """Show the steps again as they are done; an empty part if they are over."""
    guide = await guide_of(request)
    mark = mark_of(guide)
    return request.render_part_if_changed("first_steps.html", mark, guide=guide, guide_mark=mark)


async def dismiss(request: PageRequest) -> Response:
    """Hide the steps in this browser."""
    require(request.who, Role.CONTRIBUTOR)
    response = request.redirect("/")
    request.cookies.set_guide(response, _DISMISSED)
    return response


def mark_of(guide: Guide | None) -> str:
    """Return what tells whether the steps have changed."""
    return fingerprint_of(guide and (guide.job_address, guide.has_run, guide.has_alert))
