"""Secrets that a refused form loses, since no page repeats them, and secrets that a job lacks."""

from foliot.core.instant import Instant
from foliot.core.model.action import Action
from foliot.dispatch.auth.shared_access_signature import token_problem
from foliot.portal.formatting import plain_times
from foliot.portal.forms.fields import FormSchema, Kind, active_fields, posted_values
from foliot.portal.forms.job import missing_secrets, secrets_of
from foliot.portal.forms.labels import is_of_error_action, label_of
from foliot.portal.forms.posted import Form
from foliot.portal.forms.problems import Problems, describe_problem

# Inputs of this name list the secrets that were typed before the form was refused.
LOST = "lost"
_STORAGE_SIGNATURE = ".sasToken"
_NOT_KEPT = "must be entered again: a form that was not saved does not keep secrets."


def lost_secrets(form: Form, schema: FormSchema) -> tuple[str, ...]:
    """Return the secrets that the user typed into a form, now or before it was refused last."""
    before = form.all(LOST)
    return tuple(
        field.name
        for field in active_fields(schema, posted_values(form, schema))
        if field.kind is Kind.SECRET and (form.get(field.name) or field.name in before)
    )


def with_lost_secrets(problems: Problems, form: Form, schema: FormSchema) -> Problems:
    """Return the problems of a refused form, with one for each secret that it loses."""
    lost = {name: describe_problem(name, _NOT_KEPT) for name in lost_secrets(form, schema)}
    return problems | {name: words for name, words in lost.items() if name not in problems}


def secret_warnings(action: Action, now: Instant) -> dict[str, str]:
    """Return why runs of an action fail, by the field of the secret that is missing or no good."""
    lacks = {name: _lacks(name) for name in missing_secrets(action)}
    return lacks | token_warnings(action, now)


def token_warnings(action: Action, now: Instant) -> dict[str, str]:
    """Return what is wrong with the storage tokens of an action, by field."""
    problems = {
        name: token_problem(secret, now)
        for name, secret in secrets_of(action)
        if name.endswith(_STORAGE_SIGNATURE) and secret
    }
    return {name: _of_action(name, plain_times(text)) for name, text in problems.items() if text}


def _of_action(name: str, text: str) -> str:
    return f"Error action: {text}" if is_of_error_action(name) else text


def _lacks(name: str) -> str:
    label = label_of(name)
    thing = label[:1].lower() + label[1:]
    if is_of_error_action(name):
        return f"Its error action has no {thing}, and fails until one is set."
    return f"It has no {thing}: its runs fail until one is set."
