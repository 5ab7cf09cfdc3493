"""Which secrets an update keeps; each kind of action is tested with the API."""

import pytest

from foliot.api.wire.action import PART_NAMES
from foliot.core.errors import Invalid
from foliot.core.model.action import (
    Action,
    ActionKind,
    BasicAuthentication,
    ClientCertificate,
    HttpAuthentication,
    HttpRequest,
    NoAuthentication,
    OAuth,
    QueueMessage,
    ServiceBusAuthentication,
    ServiceBusMessage,
    StandardWebhooks,
)
from foliot.core.rules.kept_secrets import SecretPath, keep_secrets
from foliot.core.secret import Secret

AT = SecretPath(("action",), PART_NAMES)
OLD = Secret("old")
NEW = Secret("new")


def http(authentication: HttpAuthentication | None, uri: str = "https://h/") -> Action:
    request = HttpRequest(uri=uri, method="GET", authentication=authentication)
    return Action(kind=ActionKind.HTTP, part=request)


def queue(account: str = "acme", token: Secret | None = None) -> Action:
    message = QueueMessage(storage_account=account, queue_name="q", message="m", sas_token=token)
    return Action(kind=ActionKind.STORAGE_QUEUE, part=message)


def bus(authentication: ServiceBusAuthentication | None, namespace: str = "acme") -> Action:
    message = ServiceBusMessage(
        entity="e", namespace=namespace, message="m", authentication=authentication
    )
    return Action(kind=ActionKind.SERVICE_BUS_QUEUE, part=message)


def basic(password: Secret | None = None, username: str | None = "ann") -> BasicAuthentication:
    return BasicAuthentication(username=username, password=password)


CERTIFICATE = ClientCertificate(pfx=OLD, password=OLD, thumbprint="AB", subject="CN=x")

KEPT: dict[str, tuple[Action, Action, Action]] = {
    "basic": (http(basic(OLD)), http(basic()), http(basic(OLD))),
    "basic, sent again": (
        http(basic(OLD)),
        http(basic(NEW), "http://o/"),
        http(basic(NEW), "http://o/"),
    ),
    "basic, none stored": (http(basic()), http(basic(), "http://o/"), http(basic(), "http://o/")),
    "no authentication any more": (http(basic(OLD)), http(None), http(None)),
    "authentication for the first time": (http(None), http(basic()), http(basic())),
    "another authentication": (http(basic(OLD)), http(OAuth()), http(OAuth())),
    "not specified": (http(basic(OLD)), http(NoAuthentication()), http(NoAuthentication())),
    "oauth": (
        http(OAuth(client_id="c", tenant="t", secret=OLD)),
        http(OAuth(client_id="c", tenant="t", audience="a")),
        http(OAuth(client_id="c", tenant="t", audience="a", secret=OLD)),
    ),
    "webhooks": (
        http(StandardWebhooks(secret=OLD)),
        http(StandardWebhooks(), "https://h/elsewhere"),
        http(StandardWebhooks(secret=OLD), "https://h/elsewhere"),
    ),
    "certificate": (http(CERTIFICATE), http(ClientCertificate()), http(CERTIFICATE)),
    "certificate by its thumbprint": (
        http(CERTIFICATE),
        http(ClientCertificate(thumbprint="ab")),
        http(CERTIFICATE),
    ),
    "certificate with its password": (
        http(CERTIFICATE),
        http(ClientCertificate(password=OLD)),
        http(CERTIFICATE),
    ),
    "certificate sent again": (
        http(CERTIFICATE),
        http(ClientCertificate(pfx=NEW, thumbprint="CD")),
        http(ClientCertificate(pfx=NEW, thumbprint="CD")),
    ),
    "storage queue": (queue(token=OLD), queue("ACME"), queue("ACME", OLD)),
    "another kind": (queue(token=OLD), http(basic()), http(basic())),
    "bus": (
        bus(ServiceBusAuthentication(sas_key_name="n", sas_key=OLD)),
        bus(ServiceBusAuthentication(sas_key_name="n"), "Acme"),
        bus(ServiceBusAuthentication(sas_key_name="n", sas_key=OLD), "Acme"),
    ),
    "bus without authentication": (
        bus(ServiceBusAuthentication(sas_key=OLD)),
        bus(None, "other"),
        bus(None, "other"),
    ),
}


@pytest.mark.parametrize(("old", "new", "kept"), KEPT.values(), ids=KEPT.keys())
def test_a_secret_left_out_is_kept(old: Action, new: Action, kept: Action) -> None:
    assert keep_secrets(new, old, AT) == kept


MOVED: dict[str, tuple[Action, Action, tuple[str, ...]]] = {
    "host": (
        http(basic(OLD)),
        http(basic(), "https://o/"),
        ("request", "authentication", "password"),
    ),
    "user": (
        http(basic(OLD)),
        http(basic(username=None)),
        ("request", "authentication", "password"),
    ),
    "client": (
        http(OAuth(client_id="c", secret=OLD)),
        http(OAuth(client_id="d")),
        ("request", "authentication", "secret"),
    ),
    "receiver of webhooks": (
        http(StandardWebhooks(secret=OLD)),
        http(StandardWebhooks(), "https://o/"),
        ("request", "authentication", "secret"),
    ),
    "certificate": (
        http(CERTIFICATE),
        http(ClientCertificate(thumbprint="CD")),
        ("request", "authentication", "pfx"),
    ),
    "account": (queue(token=OLD), queue("other"), ("queueMessage", "sasToken")),
    "namespace": (
        bus(ServiceBusAuthentication(sas_key=OLD)),
        bus(ServiceBusAuthentication(), "other"),
        ("serviceBusQueueMessage", "authentication", "sasKey"),
    ),
}


@pytest.mark.parametrize(("old", "new", "path"), MOVED.values(), ids=MOVED.keys())
def test_a_secret_for_another_target_must_be_sent_again(
    old: Action, new: Action, path: tuple[str, ...]
) -> None:
    with pytest.raises(Invalid, match="send the secret again") as refusal:
        keep_secrets(new, old, AT)

    assert refusal.value.path == ("action", *path)


@pytest.mark.parametrize(("old", "new", "path"), MOVED.values(), ids=MOVED.keys())
def test_a_removed_secret_does_not_keep_the_target_from_changing(
    old: Action, new: Action, path: tuple[str, ...]
) -> None:
    forgotten = frozenset({tuple(name.lower() for name in ("action", *path))})
    place = SecretPath(("action",), PART_NAMES, forgotten)

    kept = keep_secrets(new, old, place)

    assert OLD not in secrets_in(kept)


def secrets_in(action: Action) -> list[Secret | None]:
    match action.part:
        case HttpRequest(authentication=BasicAuthentication(password=secret)):
            return [secret]
        case HttpRequest(authentication=OAuth(secret=secret) | StandardWebhooks(secret=secret)):
            return [secret]
        case HttpRequest(authentication=ClientCertificate(pfx=pfx, password=password)):
            return [pfx, password]
        case QueueMessage(sas_token=token):
            return [token]
        case ServiceBusMessage(authentication=ServiceBusAuthentication(sas_key=key)):
            return [key]
        case _:
            return []


def test_the_error_action_keeps_its_own_secrets_and_no_others() -> None:
    old = Action(kind=ActionKind.HTTP, part=http(basic(OLD)).part, error_action=queue(token=NEW))
    new = Action(kind=ActionKind.HTTP, part=http(None).part, error_action=queue())

    kept = keep_secrets(new, old, AT)

    assert kept.error_action == queue(token=NEW)


def test_a_new_error_action_does_not_get_a_secret_of_the_action() -> None:
    old = http(basic(OLD))
    new = Action(kind=ActionKind.HTTP, part=http(None).part, error_action=http(basic()))

    assert keep_secrets(new, old, AT).error_action == http(basic())
