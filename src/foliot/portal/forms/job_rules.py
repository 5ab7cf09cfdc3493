"""Checks that only the job form makes: the API accepts these jobs, but their runs would fail."""

import re
from collections.abc import Iterator

from foliot.core.errors import Invalid, shown
from foliot.core.model.action import ActionKind
from foliot.dispatch.queue_endpoints import QUEUE_NAME_RULE, is_queue_name
from foliot.portal.context import PortalContext
from foliot.portal.forms.fields import Kind, active_fields, posted_values
from foliot.portal.forms.job import ACTION, ERROR_ACTION, JOB_FORM
from foliot.portal.forms.posted import Form

# Inputs of this name list the secrets that the original of a copy has.
COPIED = "copied"
_UNENCRYPTED = (
    "This address is called without encryption; give one that begins with https://, "
    "or choose the type HTTP."
)
# The first of several parts, of which one is not a number: an IP address has no such part.
_HOST_NAME = re.compile(r"([a-z0-9-]+)\.[a-z0-9.-]*[a-z]", re.ASCII | re.IGNORECASE)
_NOT_COPIED = "a copy does not include the secrets of the original."
_DELETED = "it was deleted with the job."
_PASSWORD, _PFX = ".authentication.password", ".authentication.pfx"


def rules_broken(form: Form, context: PortalContext) -> Iterator[tuple[str, str]]:
    """Yield each broken rule: the field, and what is wrong with it."""
    yield from _unencrypted(form)
    yield from _wrong_names(form, context)
    yield from _wrong_queues(form)
    yield from _secrets_not_given(form)


def _unencrypted(form: Form) -> Iterator[tuple[str, str]]:
    """Find HTTPS actions with an http:// address: the API sends those unencrypted, as Azure did."""
    for path in (ACTION, ERROR_ACTION):
        address = f"{path}.request.uri"
        is_plain = form.get(address).strip().lower().startswith("http://")
        if is_plain and form.get(f"{path}.type") == ActionKind.HTTPS:
            yield address, _UNENCRYPTED


def _wrong_names(form: Form, context: PortalContext) -> Iterator[tuple[str, str]]:
    """Find names that cannot be those of a storage account or a Service Bus namespace."""
    for field in active_fields(JOB_FORM, posted_values(form, JOB_FORM)):
        endpoints = {"storageAccount": context.storage, "namespace": context.service_bus}.get(
            field.name.rpartition(".")[2]
        )
        given = form.get(field.name)
        if endpoints is None or not given.strip():
            continue
        try:
            endpoints.base_of(given)
        except Invalid as refusal:
            yield field.name, f"{refusal.problem}{_first_part(given)}."


def _first_part(given: str) -> str:
    """Say what to give of an address that was pasted in place of a name."""
    host = given.strip().partition("://")[2] or given.strip()
    first = _HOST_NAME.match(host)
    return f"; give only '{first[1]}', the first part of the address" if first else ""


def _wrong_queues(form: Form) -> Iterator[tuple[str, str]]:
    """Find names that no storage queue can have."""
    for path in (ACTION, ERROR_ACTION):
        name = f"{path}.queueMessage.queueName"
        given = form.get(name)
        is_queue = form.get(f"{path}.type") == ActionKind.STORAGE_QUEUE
        if is_queue and given.strip() and not is_queue_name(given):
            yield name, f"{shown(given)} is not the name of a queue; give {QUEUE_NAME_RULE}."


def _secrets_not_given(form: Form) -> Iterator[tuple[str, str]]:
    copied, is_copy = form.all(COPIED), bool(form.get("copy_of"))
    for field in active_fields(JOB_FORM, posted_values(form, JOB_FORM)):
        if field.kind is not Kind.SECRET or field.name not in copied or form.get(field.name):
            continue
        # A newly uploaded certificate may have no password; opening it checks that.
        if not form.get(field.name.replace(_PASSWORD, _PFX)):
            yield field.name, f"must be entered again: {_NOT_COPIED if is_copy else _DELETED}"
