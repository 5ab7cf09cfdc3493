"""The routes of the portal: its pages, the form to sign in, and the assets."""

from collections.abc import Awaitable, Callable

from starlette.responses import Response

from foliot.portal.page_request import PageRequest
from foliot.portal.pages import (
    about,
    alert_form,
    alerts,
    audit,
    calendar,
    collection_access,
    collection_properties,
    collections,
    failures,
    job,
    job_create,
    job_edit,
    job_new,
    jobs,
    overview,
    sign_in,
    tokens,
)
from foliot.portal.pages.errors import redirect_back_if_refused
from foliot.web.routing import Access, Matching, Route

Page = Callable[[PageRequest], Awaitable[Response]]

SIGN_OUT = "/sign-out"
_COLLECTION = "/collections/{subscription}/{group}/{collection}"
_ALERT = f"{_COLLECTION}/alerts/{{alert}}"
_JOB = f"{_COLLECTION}/jobs/{{job}}"

PAGES: dict[str, dict[str, Page]] = {
    "/": {"GET": overview.show},
    "/live": {"GET": overview.show_live},
    failures.PATH: {"GET": failures.show},
    "/collections": {"GET": collections.show_all, "POST": collections.create},
    "/collections/new": {"GET": collections.show_new},
    _COLLECTION: {"GET": jobs.show, "POST": jobs.change_many},
    job_new.PATH: {"GET": job_new.show, "POST": job_new.create},
    "/jobs/preview": {"GET": job_edit.show_preview},
    f"{_COLLECTION}/properties": {"GET": collection_properties.show},
    f"{_COLLECTION}/alerts": {"GET": alerts.show_all},
    f"{_COLLECTION}/new-alert": {"GET": alert_form.show_new, "POST": alert_form.create},
    _ALERT: {"GET": alerts.show},
    f"{_ALERT}/edit": {"GET": alert_form.show_edit, "POST": alert_form.save},
    f"{_ALERT}/test": {"POST": redirect_back_if_refused(alerts.test)},
    f"{_ALERT}/enable": {"POST": redirect_back_if_refused(alerts.enable)},
    f"{_ALERT}/disable": {"POST": redirect_back_if_refused(alerts.disable)},
    f"{_ALERT}/delete": {"POST": redirect_back_if_refused(alerts.delete)},
    f"{_COLLECTION}/access": {"GET": collection_access.show, "POST": collection_access.create},
    f"{_COLLECTION}/access/{{token}}/revoke": {
        "POST": redirect_back_if_refused(collection_access.revoke)
    },
    f"{_COLLECTION}/new": {"GET": job_create.show_new, "POST": job_create.create},
    f"{_COLLECTION}/preview": {"GET": job_edit.show_preview},
    _JOB: {"GET": job.show},
    f"{_JOB}/live": {"GET": job.show_live},
    f"{_JOB}/action": {"GET": job.show_action},
    f"{_JOB}/schedule": {"GET": job.show_schedule},
    f"{_JOB}/history": {"GET": job.show_history},
    f"{_JOB}/properties": {"GET": job.show_properties},
    f"{_JOB}/json": {"GET": job_edit.show_json, "POST": job_edit.save_json},
    f"{_JOB}/create": {"POST": job_create.create_from_json},
    f"{_JOB}/edit": {"GET": job_edit.show_edit, "POST": job_edit.save},
    f"{_JOB}/duplicate": {"GET": job_create.show_duplicate},
    f"{_JOB}/run": {"POST": redirect_back_if_refused(job.run)},
    f"{_JOB}/enable": {"POST": redirect_back_if_refused(job.enable)},
    f"{_JOB}/disable": {"POST": redirect_back_if_refused(job.disable)},
    f"{_JOB}/delete": {"POST": redirect_back_if_refused(job.delete)},
    f"{_COLLECTION}/edit": {"GET": collections.show_edit, "POST": collections.save},
    f"{_COLLECTION}/enable": {"POST": redirect_back_if_refused(collections.enable)},
    f"{_COLLECTION}/disable": {"POST": redirect_back_if_refused(collections.disable)},
    f"{_COLLECTION}/delete": {"GET": collections.show_delete, "POST": collections.delete},
    "/calendar": {"GET": calendar.show},
    audit.PATH: {"GET": audit.show},
    f"{audit.PATH}/{{entry}}": {"GET": audit.show_entry},
    "/tokens": {"GET": tokens.show, "POST": tokens.create},
    "/tokens/{token}/revoke": {"POST": redirect_back_if_refused(tokens.revoke)},
    "/settings": {"GET": about.show_settings},
    "/about": {"GET": about.show},
    SIGN_OUT: {"POST": sign_in.sign_out},
}

ROUTES: tuple[Route[Page], ...] = (
    Route("/assets/", Access.ASSET, matching=Matching.PREFIX),
    Route(sign_in.PATH, Access.SIGN_IN, matching=Matching.EXACT),
    *(Route(path, Access.SESSION, pages) for path, pages in PAGES.items()),
)
