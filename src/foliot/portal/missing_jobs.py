"""What pages say about a job that is not at their address any more: where it is now."""

from foliot.app.audit import MissingJob
from foliot.core.rules.job_moves import JobPlace
from foliot.portal import urls
from foliot.portal.page_request import PageRequest

# The words of a link, and its address.
Link = tuple[str, str]


async def find_missing_job(request: PageRequest) -> MissingJob:
    """Return what became of the job that the address names."""
    return await request.use_cases.audit.find_missing_job(request.who, request.key, request.job)


def move_words(request: PageRequest, place: JobPlace) -> str:
    """Return where the job of the address was moved to, without a full stop."""
    name = request.job
    if place.key.folded == request.key.folded:
        return f"Job '{name}' was renamed to '{place.name}'"
    renamed = "" if place.name.lower() == name.lower() else f" as '{place.name}'"
    return f"Job '{name}' was moved to {place.key.name}{renamed}"


def link_to(place: JobPlace) -> Link:
    """Return a link to a job where it is now."""
    return f"Open {place.name} in {place.key.name}", urls.job(place.key, place.name)
