"""The routes of the portal: its pages, the form to sign in, and the assets."""

from collections.abc import Awaitable, Callable

from starlette.responses import Response

from foliot.portal.page_request import PageRequest
from foliot.portal.pages import (
    about,
    alert_form,
    alerts,
    all_alerts,
    all_jobs,
    attempt,
    audit,
    changes,
    collection_access,
    collection_properties,
    collection_restore,
    collection_state,
    collections,
    explain,
    failures,
    find,
    first_steps,
    job,
    job_code,
    job_create,
    job_edit,
    job_move,
    job_new,
    job_restore,
    job_test,
    jobs,
    overview,
    preview,
    retries,
    runs,
    sign_in,
    timeline,
    tokens,
)
from foliot.portal.pages.errors import redirect_back_if_refused
from foliot.web.routing import Access, Matching, Route

Page = Callable[[PageRequest], Awaitable[Response]]

SIGN_OUT = "/sign-out"
_COLLECTION = "/collections/{subscription}/{group}/{collection}"
_ALERT = f"{_COLLECTION}/alerts/{{alert}}"
_JOB = f"{_COLLECTION}/jobs/{{job}}"
_ATTEMPT = f"{_JOB}/attempts/{{number}}"

PAGES: dict[str, dict[str, Page]] = {
    "/": {"GET": overview.show},
    "/live": {"GET": overview.show_live},
    runs.PATH: {"GET": runs.show},
    first_steps.PATH: {"GET": first_steps.show, "POST": first_steps.dismiss},
    failures.PATH: {"GET": failures.show},
    f"{failures.PATH}/mute": {"POST": redirect_back_if_refused(failures.mute)},
    f"{failures.PATH}/unmute": {"POST": redirect_back_if_refused(failures.unmute)},
    failures.RERUN_PATH: {"GET": failures.ask_rerun, "POST": failures.rerun},
    retries.PATH: {"GET": retries.ask, "POST": retries.retry},
    find.PATH: {"GET": find.show},
    all_jobs.PATH: {"GET": all_jobs.show},
    all_alerts.PATH: {"GET": all_alerts.show},
    all_alerts.NEW_PATH: {"GET": all_alerts.show_new},
    "/collections": {"GET": collections.show_all, "POST": collections.create},
    "/collections/new": {"GET": collections.show_new},
    _COLLECTION: {"GET": jobs.show, "POST": jobs.change_many},
    job_new.PATH: {"GET": job_new.show, "POST": job_new.create},
    f"{job_new.PATH}/test": {"POST": job_test.of_new_job_anywhere},
    "/jobs/preview": {"GET": preview.show},
    f"{_COLLECTION}/properties": {"GET": collection_properties.show},
    f"{_COLLECTION}/changes": {"GET": changes.show_collection},
    f"{_COLLECTION}/changes/{{entry}}": {
        "GET": collection_restore.show,
        "POST": collection_restore.restore,
    },
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
    f"{_COLLECTION}/new/test": {"POST": job_test.of_new_job},
    f"{_COLLECTION}/preview": {"GET": preview.show},
    _JOB: {"GET": job.show},
    f"{_JOB}/live": {"GET": job.show_live},
    f"{_JOB}/action": {"GET": job.show_action},
    f"{_JOB}/schedule": {"GET": job.show_schedule},
    _ATTEMPT: {"GET": attempt.show},
    f"{_ATTEMPT}/rerun": {"POST": redirect_back_if_refused(attempt.rerun)},
    f"{_JOB}/runs": {"GET": runs.show_job},
    f"{_JOB}/runs/{{run}}": {"GET": runs.show_run},
    f"{_JOB}/history": {"GET": runs.redirect_history},
    f"{_JOB}/rerun": {"POST": redirect_back_if_refused(runs.rerun)},
    f"{_JOB}/retry-run": {"POST": redirect_back_if_refused(runs.retry)},
    f"{_JOB}/cancel-run": {"POST": redirect_back_if_refused(runs.cancel)},
    f"{_JOB}/code": {"GET": job_code.show},
    f"{_JOB}/changes": {"GET": changes.show_job},
    f"{_JOB}/changes/{{entry}}": {"GET": job_restore.show, "POST": job_restore.restore},
    f"{_JOB}/changes/{{entry}}/form": {"GET": job_restore.show_form},
    f"{_JOB}/properties": {"GET": job.show_properties},
    f"{_JOB}/json": {"GET": job_edit.show_json, "POST": job_edit.save_json},
    f"{_JOB}/explain": {"GET": explain.show},
    f"{_JOB}/create": {"POST": job_create.create_from_json},
    f"{_JOB}/edit": {"GET": job_edit.show_edit, "POST": job_edit.save},
    f"{_JOB}/edit/test": {"POST": job_test.of_edited_job},
    f"{_JOB}/test": {"POST": job_test.of_job},
    f"{_JOB}/move": {"GET": job_move.show, "POST": job_move.move},
    f"{_JOB}/duplicate": {"GET": job_create.show_duplicate},
    f"{_JOB}/run": {"POST": redirect_back_if_refused(job.run)},
    f"{_JOB}/enable": {"POST": redirect_back_if_refused(job.enable)},
    f"{_JOB}/disable": {"POST": redirect_back_if_refused(job.disable)},
    f"{_JOB}/delete": {"GET": job.show_delete, "POST": redirect_back_if_refused(job.delete)},
    f"{_COLLECTION}/edit": {"GET": collections.show_edit, "POST": collections.save},
    f"{_COLLECTION}/enable": {
        "GET": collection_state.show_enable,
        "POST": redirect_back_if_refused(collection_state.enable),
    },
    f"{_COLLECTION}/disable": {
        "GET": collection_state.show_disable,
        "POST": redirect_back_if_refused(collection_state.disable),
    },
    f"{_COLLECTION}/delete": {"GET": collections.show_delete, "POST": collections.delete},
    timeline.PATH: {"GET": timeline.show},
    explain.PATH: {"GET": explain.show_choice},
    timeline.OLD_PATH: {"GET": timeline.redirect_old_address},
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
