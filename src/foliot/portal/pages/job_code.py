"""The tab As code of a job: a command of curl, a deployment template, a file for `foliot apply`."""

from starlette.responses import Response

from foliot.api.wire.clients import OWN_CLIENT
from foliot.api.wire.job import encode_definition, job_id
from foliot.core.ids import CollectionKey
from foliot.core.json_text import Json
from foliot.core.model.job import Job
from foliot.core.rules.lifecycle import FINAL
from foliot.core.yaml_text import write_yaml
from foliot.importers.curl_command import curl_command
from foliot.importers.exported_jobs import (
    ExportedJob,
    VariableNames,
    exported_job,
    heading,
    resource_with_parameters,
    secure_parameters,
    with_placeholders,
)
from foliot.importers.template_resources import template_of
from foliot.portal.page_request import PageRequest
from foliot.portal.pages.job import job_values, pretty
from foliot.web.proxies import base_url, caller


async def show(request: PageRequest) -> Response:
    """Show a job as others can create it; a placeholder stands for each secret."""
    found = await request.use_cases.dashboard.job(request.who, request.key, request.job)
    key, context = found.collection.key, request.context
    called = caller(request.http.scope, context.trusted_proxies)
    base = base_url(called, public_url=context.public_url)
    job = _exported(key, found.job)
    return request.render_page(
        "job_code.html",
        tab="code",
        curl=curl_command(job, f"{base}{job_id(key, job.name)}"),
        yaml=_apply_file(job),
        deployment=_template(job),
        **job_values(found),
    )


def _exported(key: CollectionKey, job: Job) -> ExportedJob:
    written = encode_definition(job.definition, OWN_CLIENT)
    state = "enabled" if job.state in FINAL else job.state.value
    return exported_job(key, job.name, written, state)


def _apply_file(job: ExportedJob) -> str:
    names, key = VariableNames(), job.key
    collection: Json = {
        "subscription": key.subscription,
        "group": key.group,
        "name": key.name,
    }
    jobs: Json = {job.name: with_placeholders(job, names)}
    text = write_yaml([{"collection": collection, "jobs": jobs}])
    return heading(names) + text


def _template(job: ExportedJob) -> str:
    names = VariableNames()
    resource = resource_with_parameters(job, names)
    return pretty(template_of(secure_parameters(names), [resource]))
