"""Keeps secrets that an update leaves out, if they still go to the same target and user.

Otherwise a caller who may edit a job could send its password to a server of their own.
"""

from collections.abc import Mapping
from typing import TypeVar
from urllib.parse import urlsplit

from msgspec import Struct, structs

from foliot.core.errors import Invalid, Path
from foliot.core.model.action import (
    Action,
    ActionKind,
    ActionPart,
    BasicAuthentication,
    ClientCertificate,
    HttpAuthentication,
    HttpRequest,
    OAuth,
    QueueMessage,
    ServiceBusMessage,
    StandardWebhooks,
)
from foliot.core.secret import Secret

Changed = TypeVar("Changed")

_PORTS = {"http": 80, "https": 443}


class SecretPath(Struct, frozen=True):
    """Where in a job we are, and which of its secrets are to be forgotten (paths in lower case).

    The client's name of the part that goes with each kind of action belongs to its paths.
    """

    path: Path
    part_names: Mapping[ActionKind, str]
    forgotten: frozenset[Path] = frozenset()

    def inside(self, *names: str) -> "SecretPath":
        """Return the path of a field further in."""
        return SecretPath((*self.path, *names), self.part_names, self.forgotten)

    @property
    def is_forgotten(self) -> bool:
        """Whether the client has removed this secret explicitly."""
        return tuple(str(name).lower() for name in self.path) in self.forgotten


def keep_secrets(new: Action, old: Action, place: SecretPath) -> Action:
    """Return the new action, with secrets of the old one where it leaves them out."""
    error = new.error_action
    if error is not None and old.error_action is not None:
        error = keep_secrets(error, old.error_action, place.inside("errorAction"))
    part = _keep(new.part, old.part, place.inside(place.part_names[new.kind]))
    return structs.replace(new, part=part, error_action=error)


def with_other_secrets(action: Action, text: str) -> Action:
    """Return an action with this text in place of each secret: comparisons then tell nothing."""
    return _with_other_secrets(action, Secret(text))


def _with_other_secrets(value: Changed, other: Secret) -> Changed:
    if not isinstance(value, Struct):
        return value
    fields = {name: getattr(value, name) for name in value.__struct_fields__}
    return structs.replace(
        value,
        **{
            name: other if isinstance(each, Secret) else _with_other_secrets(each, other)
            for name, each in fields.items()
        },
    )


def _keep(new: ActionPart, old: ActionPart, place: SecretPath) -> ActionPart:
    match new, old:
        case HttpRequest(), HttpRequest():
            return _keep_http(new, old, place.inside("authentication"))
        case QueueMessage(), QueueMessage():
            same = new.storage_account.lower() == old.storage_account.lower()
            token = _kept(new.sas_token, old.sas_token, place.inside("sasToken"), same=same)
            return structs.replace(new, sas_token=token)
        case ServiceBusMessage(), ServiceBusMessage():
            return _keep_bus(new, old, place.inside("authentication", "sasKey"))
        case _:
            return new


def _keep_http(new: HttpRequest, old: HttpRequest, place: SecretPath) -> HttpRequest:
    if new.authentication is None or old.authentication is None:
        return new
    same = origin(new.uri) == origin(old.uri)
    kept = _keep_authentication(new.authentication, old.authentication, place, same=same)
    return structs.replace(new, authentication=kept)


def _keep_authentication(
    new: HttpAuthentication, old: HttpAuthentication, place: SecretPath, *, same: bool
) -> HttpAuthentication:
    match new, old:
        case BasicAuthentication(), BasicAuthentication():
            same = same and new.username == old.username
            password = _kept(new.password, old.password, place.inside("password"), same=same)
            return structs.replace(new, password=password)
        case OAuth(), OAuth():
            same = same and (new.client_id, new.tenant) == (old.client_id, old.tenant)
            secret = _kept(new.secret, old.secret, place.inside("secret"), same=same)
            return structs.replace(new, secret=secret)
        case StandardWebhooks(), StandardWebhooks():
            secret = _kept(new.secret, old.secret, place.inside("secret"), same=same)
            return structs.replace(new, secret=secret)
        case ClientCertificate(), ClientCertificate() if new.pfx is None:
            # Without the file a new password cannot be checked.
            same = same and _is_same_certificate(new, old) and new.password in {None, old.password}
            if _kept(None, old.pfx, place.inside("pfx"), same=same) is None:
                return ClientCertificate(password=new.password)
            password = _kept(new.password, old.password, place.inside("password"), same=same)
            return structs.replace(old, password=password)
        case _:
            return new


def _is_same_certificate(new: ClientCertificate, old: ClientCertificate) -> bool:
    """Tell whether the client means the old certificate: by its thumbprint, or without one."""
    named = (new.thumbprint or "").lower()
    return named in ("", (old.thumbprint or "").lower())


def _keep_bus(
    new: ServiceBusMessage, old: ServiceBusMessage, place: SecretPath
) -> ServiceBusMessage:
    if new.authentication is None or old.authentication is None:
        return new
    same = (
        new.namespace.lower() == old.namespace.lower()
        and new.authentication.sas_key_name == old.authentication.sas_key_name
    )
    key = _kept(new.authentication.sas_key, old.authentication.sas_key, place, same=same)
    authentication = structs.replace(new.authentication, sas_key=key)
    return structs.replace(new, authentication=authentication)


def _kept(
    new: Secret | None, old: Secret | None, place: SecretPath, *, same: bool
) -> Secret | None:
    if new is not None or old is None or place.is_forgotten:
        return new
    if not same:
        raise Invalid(
            place.path,
            "is left out, but the user or the host has changed: send the secret again.",
        )
    return old


def origin(uri: str) -> tuple[str, str | None, int | None]:
    """Return the scheme, the host and the port that a request goes to."""
    parts = urlsplit(uri)
    scheme = parts.scheme.lower()
    return scheme, parts.hostname, parts.port or _PORTS.get(scheme)
