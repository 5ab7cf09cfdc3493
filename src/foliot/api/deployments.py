"""Deployments of templates.

A template is evaluated in a thread, before anything is stored; its deployment is done when the
call is answered.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from typing import TypeVar

from msgspec import Struct, json, structs

from foliot.api.call import ApiResponse, Call
from foliot.api.paging import filter_of, listing, window_of
from foliot.api.references import TemplateReferences
from foliot.api.subscriptions import tenant_id
from foliot.api.wire.collection import COLLECTION_TYPE
from foliot.api.wire.deployment import (
    DeploymentBody,
    decode_deployment,
    encode_deployment,
    encode_operations,
    encode_validation,
)
from foliot.api.wire.job import JOB_TYPE
from foliot.api.wire.template_parts import (
    TEMPLATE,
    decode_parts,
    left_out_collections,
    open_template_certificates,
)
from foliot.app.deployments import DeploymentStart, resources_of
from foliot.app.template_changes import WantedTemplate
from foliot.app.use_cases import UseCases
from foliot.core.errors import (
    CollectionNotFound,
    Conflict,
    FoliotError,
    Invalid,
    OperationNotFound,
    RefusedInTemplate,
)
from foliot.core.json_text import Json
from foliot.core.model.deployment import Deployment, DeploymentKey
from foliot.core.model.token import Role
from foliot.core.rules.shown_values import refusal_without_secrets, without_secrets
from foliot.ports.logs import context_fields
from foliot.ports.random_ids import new_uuid
from foliot.templates import FindResource, Template, TemplateScope, WrongParameter, read_template

# One template at a time: a server has more to do.
_EVALUATOR = ThreadPoolExecutor(1, thread_name_prefix="template")
_MAX_RECORD_BYTES = 256 * 1024
# Whether there are deployments in a state: those that are refused are not kept.
_STATES = {"succeeded": True, "failed": False, "canceled": False, "running": False}
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)

Result = TypeVar("Result")


class _Draft(Struct, frozen=True):
    """A template that was evaluated: what it wants, and the record of its deployment."""

    wanted: WantedTemplate
    record: Deployment


class _Evaluation(Struct, frozen=True, kw_only=True):
    """What the evaluation of a template needs to know."""

    key: DeploymentKey
    start: DeploymentStart
    references: TemplateReferences
    tenant: str
    correlation_id: str


async def put(use_cases: UseCases, call: Call) -> ApiResponse:
    """Deploy a template: save all its collections and jobs, or none."""
    async with _hidden_secrets(call):
        draft = await _evaluate(use_cases, call)
        saved, is_new = await use_cases.deployments.deploy(call.who, draft.wanted, draft.record)
    return ApiResponse(201 if is_new else 200, encode_deployment(saved, is_masked=False))


async def validate(use_cases: UseCases, call: Call) -> ApiResponse:
    """Say what the deployment of a template would save and delete, and refuse what it would."""
    async with _hidden_secrets(call):
        draft = await _evaluate(use_cases, call)
        started_at = draft.record.deployed_at
        saved = await use_cases.deployments.try_out(call.who, draft.wanted, started_at)
    record = structs.replace(
        draft.record,
        resources=resources_of(saved),
        deleted=tuple(key.name for key in saved.deleted),
    )
    return ApiResponse(content=encode_validation(record))


async def get(use_cases: UseCases, call: Call) -> ApiResponse:
    """Show a deployment."""
    return ApiResponse(content=_encoded(call, await _find(use_cases, call)))


async def exists(use_cases: UseCases, call: Call) -> ApiResponse:
    """Say whether there is a deployment of this name."""
    await _find(use_cases, call)
    return ApiResponse(204)


async def delete(use_cases: UseCases, call: Call) -> ApiResponse:
    """Forget a deployment; what it deployed stays."""
    await use_cases.deployments.delete_deployment(call.who, _key(call))
    return ApiResponse(204)


async def list_deployments(use_cases: UseCases, call: Call) -> ApiResponse:
    """List the deployments of a group."""
    window, names = window_of(call, str.lower), call.names
    if filter_of(call, "provisioningstate", _STATES) is False:
        return listing(call, [], None)
    found = await use_cases.deployments.list_deployments(
        call.who, names["subscription"], names["group"], window.page
    )
    shown, last = window.split(found)
    values = [_encoded(call, each) for each in shown]
    return listing(call, [*values], None if last is None else last.key.name.lower())


async def list_operations(use_cases: UseCases, call: Call) -> ApiResponse:
    """List what a deployment did: one operation for each resource."""
    window = window_of(call, str)
    operations = encode_operations(await _find(use_cases, call))[window.page.skip :]
    shown = operations[: window.page.limit] if window.is_capped else operations
    return listing(call, shown, None)


async def get_operation(use_cases: UseCases, call: Call) -> ApiResponse:
    """Show what a deployment did with one resource."""
    operations = encode_operations(await _find(use_cases, call))
    for each in operations:
        if isinstance(each, dict) and each["operationId"] == call.names["operation"]:
            return ApiResponse(content=each)
    raise OperationNotFound(call.names["deployment"], call.names["operation"])


@asynccontextmanager
async def _hidden_secrets(call: Call) -> AsyncGenerator[None]:
    """Keep the values of secure parameters out of refusals."""
    try:
        yield
    except (Invalid, Conflict, CollectionNotFound, RefusedInTemplate) as refusal:
        raise await _in_thread(partial(_without_secrets, refusal, call.body)) from None


def _without_secrets(refusal: FoliotError, body: bytes) -> FoliotError:
    try:
        secrets = decode_deployment(body).secure_texts
    except Invalid:
        return refusal
    return refusal_without_secrets(refusal, secrets)


async def _evaluate(use_cases: UseCases, call: Call) -> _Draft:
    """Evaluate a template completely; nothing is stored yet."""
    key = _key(call)
    evaluation = _Evaluation(
        key=key,
        start=await use_cases.deployments.start(call.who, key),
        references=TemplateReferences(use_cases, call.who),
        tenant=tenant_id(call.base_url),
        correlation_id=str(context_fields().get("request_id") or new_uuid()),
    )
    body, template = await _in_thread(partial(_read, evaluation, call.body))
    certificates = await open_template_certificates(template.resources)
    parts = await _in_thread(partial(decode_parts, template.resources, call.limits, certificates))
    wanted = WantedTemplate(
        key=key,
        mode=body.mode,
        collections=parts.collections,
        jobs=parts.jobs,
        kept=() if _deletes_left_out(call) else left_out_collections(key, template.left_out),
    )
    find = evaluation.references.deployed(
        lambda: use_cases.deployments.try_out(call.who, wanted, evaluation.start.now)
    )
    record = await _in_thread(partial(_record, evaluation, body, template, parts.secrets, find))
    return _Draft(wanted, record)


def _deletes_left_out(call: Call) -> bool:
    """Tell whether complete mode deletes collections whose condition is false.

    Azure Resource Manager does so from this version on; older clients rely on the opposite.
    """
    version = call.query.get("api-version", "")[:10]
    return _DATE.fullmatch(version) is not None and version >= "2019-05-10"


async def _in_thread(work: Callable[[], Result]) -> Result:
    return await asyncio.get_running_loop().run_in_executor(_EVALUATOR, work)


def _read(evaluation: _Evaluation, body: bytes) -> tuple[DeploymentBody, Template]:
    given, key, group = decode_deployment(body), evaluation.key, evaluation.start.group
    scope = TemplateScope(
        subscription=key.subscription,
        tenant=evaluation.tenant,
        group=key.group if group is None else group.name,
        group_location=(group and group.location) or "",
        group_tags=(group and group.tags) or {},
        deployment=key.name,
        now=evaluation.start.now,
        mode=given.mode.value,
        types=(COLLECTION_TYPE, JOB_TYPE),
    )
    stored = evaluation.references.stored
    try:
        return given, read_template(given.template, given.parameters, scope, stored)
    except WrongParameter as refusal:
        raise Invalid((*TEMPLATE[:-1], *refusal.path), refusal.problem) from None
    except Invalid as refusal:
        raise Invalid((*TEMPLATE, *refusal.path), refusal.problem) from None


def _record(
    evaluation: _Evaluation,
    body: DeploymentBody,
    template: Template,
    secrets: frozenset[str],
    find: FindResource,
) -> Deployment:
    try:
        outputs = template.outputs(find)
    except Invalid as refusal:
        # The trial that an output asks for names the place in the request already.
        place = () if refusal.path[: len(TEMPLATE)] == TEMPLATE else TEMPLATE
        raise Invalid((*place, *refusal.path), refusal.problem) from None
    size = len(json.encode((template.parameters, outputs, body.tags)))
    if size > _MAX_RECORD_BYTES:
        problem = f"have {size} bytes together with the parameters; give at most"
        raise Invalid((*TEMPLATE, "outputs"), f"{problem} {_MAX_RECORD_BYTES}.")
    return Deployment(
        key=evaluation.key,
        deployed_at=evaluation.start.now,
        correlation_id=evaluation.correlation_id,
        template_hash=body.template_hash,
        mode=body.mode,
        tags=body.tags,
        parameters=without_secrets(template.parameters, secrets),
        outputs=without_secrets(outputs, secrets),
    )


async def _find(use_cases: UseCases, call: Call) -> Deployment:
    return await use_cases.deployments.get_deployment(call.who, _key(call))


def _key(call: Call) -> DeploymentKey:
    names = call.names
    return DeploymentKey(names["subscription"], names["group"], names["deployment"])


def _encoded(call: Call, deployment: Deployment) -> Json:
    return encode_deployment(deployment, is_masked=call.who.role is Role.READER)
