"""What the form of a job refuses although the API takes it."""

from collections.abc import Iterator

from foliot.core.model.action import ActionKind
from foliot.portal.forms.fields import Kind, counting, entered
from foliot.portal.forms.job import ACTION, ERROR_ACTION, SHAPE
from foliot.portal.forms.posted import Form

# Inputs of this name hold the secrets of the job that a new one was copied from.
COPIED = "copied"
_UNENCRYPTED = (
    "This address is called without encryption; give one that begins with https://, "
    "or choose the type HTTP."
)
_NOT_COPIED = "a copy does not take it from the original."
_DELETED = "it was deleted with the job."
_PASSWORD, _PFX = ".authentication.password", ".authentication.pfx"


def rules_broken(form: Form) -> Iterator[tuple[str, str]]:
    """Go through what would go wrong when the job runs: the field, and why."""
    yield from _unencrypted(form)
    yield from _secrets_not_given(form)


def _unencrypted(form: Form) -> Iterator[tuple[str, str]]:
    """The API treats Https as Http, as the old service did: the address decides."""
    for place in (ACTION, ERROR_ACTION):
        address = f"{place}.request.uri"
        is_plain = form.get(address).strip().lower().startswith("http://")
        if is_plain and form.get(f"{place}.type") == ActionKind.HTTPS:
            yield address, _UNENCRYPTED


def _secrets_not_given(form: Form) -> Iterator[tuple[str, str]]:
    copied, is_copy = form.all(COPIED), bool(form.get("copy_of"))
    for field in counting(SHAPE, entered(form, SHAPE)):
        if field.kind is not Kind.SECRET or field.name not in copied or form.get(field.name):
            continue
        # The password of another certificate may be none; opening it shows whether it is right.
        if not form.get(field.name.replace(_PASSWORD, _PFX)):
            yield field.name, f"must be given again: {_NOT_COPIED if is_copy else _DELETED}"
