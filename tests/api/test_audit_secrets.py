"""No secret is in the audit log: not in its table, not in its answers, in no version of a job."""

from typing import Any

import pytest
from msgspec import msgpack

from foliot.app.tokens import NewToken
from foliot.core.model.audit import AuditFilter
from foliot.core.model.token import Role, Scope
from tests.api.test_hidden_secrets import MARKED_PFX, NEVER_SHOWN, marked_jobs
from tests.support.api_client import COLLECTION, JOBS, Client
from tests.support.bodies import basic, certificate, oauth, queue_job, request_job, webhooks
from tests.support.certificates import a_pfx
from tests.support.served_engine import OWN

# As a Reader sees a job: credentials in headers and addresses are masked, bodies are shown.
NEVER_KEPT = [*NEVER_SHOWN, "m4rk-header", "m4rk-query", MARKED_PFX.text[:200]]
OTHER_PFX = a_pfx("other", "m4rk-pfxword")


def everything(client: Client) -> bytes:
    """Return all that the API tells of the log, and all that the store has of it, opened."""
    answers = [client.get("/audit", query=OWN)]
    while link := answers[-1].json["nextLink"]:
        answers.append(client.get("/audit", query=link.partition("?")[2]))
    names = [each["id"] for answer in answers for each in answer.json["value"]]
    answers += [client.get(name, query=OWN) for name in names]
    assert len(answers) > len(names) > 0
    opened = client.run(
        client.store.read(lambda view: view.audit_entries(Scope(), AuditFilter(), limit=1000))
    )
    assert len(opened) == len(names)
    rows = repr(client.state()["audit"]).encode()
    return b"".join([msgpack.encode(opened), rows, *(each.content for each in answers)])


def test_no_secret_of_any_job_is_kept(billing: Client) -> None:
    for name, job in marked_jobs().items():
        path = f"{JOBS}/{name}"
        assert billing.put(path, job).status == 201
        assert billing.patch(path, {"properties": {"state": "disabled"}}).status == 200
        assert billing.patch(path, {"properties": {"description": "d"}}, query=OWN).status == 200
        assert billing.delete(path).status == 200

    found = everything(billing)

    assert [each for each in NEVER_KEPT if each.encode() in found] == []
    assert b"m4rk-body" in found


@pytest.mark.parametrize(
    ("before", "after", "path"),
    [
        pytest.param(
            basic(password="m4rk-1"),  # noqa: S106
            basic(password="m4rk-2"),  # noqa: S106
            "request.authentication.password",
            id="password",
        ),
        pytest.param(
            oauth(secret="m4rk-1"),  # noqa: S106
            oauth(secret="m4rk-2"),  # noqa: S106
            "request.authentication.secret",
            id="secret",
        ),
        pytest.param(
            webhooks(secret="whsec_" + "A" * 32),
            webhooks(secret="whsec_" + "B" * 32),
            "request.authentication.secret",
            id="webhooks",
        ),
        pytest.param(
            queue_job(sasToken="m4rk-1"),
            queue_job(sasToken="m4rk-2"),
            "queueMessage.sasToken",
            id="sasToken",
        ),
        pytest.param(
            request_job(headers={"Authorization": "m4rk-1"}),
            request_job(headers={"Authorization": "m4rk-2"}),
            "request.headers.Authorization",
            id="header",
        ),
    ],
)
def test_a_secret_that_changed_is_told_without_its_value(
    billing: Client, before: Any, after: Any, path: str
) -> None:
    for job in (before, after):
        assert billing.put(f"{JOBS}/a", job).status in (200, 201)

    (entry, *_) = billing.get("/audit", query=OWN).json["value"]

    assert entry["properties"]["changes"] == [
        {"path": f"properties.action.{path}", "before": "***", "after": "*** (changed)"}
    ]
    found = everything(billing)
    assert b"m4rk-" not in found
    assert b"A" * 32 not in found


def test_a_credential_in_an_address_that_changed_is_told_without_its_value(
    billing: Client,
) -> None:
    for sig in ("m4rk-1", "m4rk-2"):
        job = request_job(uri=f"https://h.example/?sig={sig}&a=b")
        assert billing.put(f"{JOBS}/a", job).status in (200, 201)

    (entry, *_) = billing.get("/audit", query=OWN).json["value"]

    (change,) = entry["properties"]["changes"]
    assert change["before"] == "https://h.example/?sig=***&a=b"
    assert change["after"] == "https://h.example/?sig=*** (changed)&a=b"
    assert b"m4rk-" not in everything(billing)


def test_another_certificate_is_told_by_its_thumbprint_and_a_mask(billing: Client) -> None:
    for pfx in (MARKED_PFX, OTHER_PFX):
        job = certificate(pfx=pfx.text, password="m4rk-pfxword")  # noqa: S106
        assert billing.put(f"{JOBS}/a", job).status in (200, 201)

    (entry, *_) = billing.get("/audit", query=OWN).json["value"]

    changed = {
        each["path"].rpartition(".")[2]: each["after"] for each in entry["properties"]["changes"]
    }
    assert changed["pfx"] == "*** (changed)"
    assert "certificateThumbprint" in changed
    assert OTHER_PFX.text[:200].encode() not in everything(billing)


def test_the_text_of_a_token_is_not_kept(billing: Client) -> None:
    tokens = billing.use_cases.tokens
    who = billing.authenticator.principal
    kept, text = billing.run(tokens.create_token(who, NewToken("ci", Role.OWNER), b"r" * 32))
    billing.run(tokens.revoke_token(who, kept.id))

    found = everything(billing)

    assert text.reveal().encode() not in found
    assert kept.digest not in found
    assert repr(kept.digest)[2:-1].encode() not in found


def test_no_secret_of_an_alert_is_kept_and_a_changed_one_is_told(billing: Client) -> None:
    def alert(slack: str, secret: str) -> dict[str, Any]:
        webhook = {"type": "webhook", "uri": "https://h.example/?sig=m4rk-query", "secret": secret}
        address = f"https://hooks.slack.example/m4rk-{slack}"
        send_to = [{"type": "slack", "uri": address}, webhook]
        return {"properties": {"when": {"paused": True}, "sendTo": send_to}}

    path = f"{COLLECTION}/alerts/oncall"
    secrets = ["whsec_" + letter * 32 for letter in "AB"]
    assert billing.put(path, alert("one", secrets[0]), query=OWN).status == 201
    assert billing.put(path, alert("two", secrets[1]), query=OWN).status == 200
    assert billing.patch(path, {"properties": {"state": "disabled"}}, query=OWN).status == 200
    assert billing.delete(path, query=OWN).status == 200

    found = everything(billing)
    entries = billing.get("/audit", query=OWN).json["value"]

    told = [(each["properties"]["action"], each["properties"]["changes"]) for each in entries[:4]]
    assert [action for action, _ in told] == ["deleted", "disabled", "updated", "created"]
    ((slack, webhook),) = (each["after"] for each in told[2][1])
    assert slack["uri"] == "https://hooks.slack.example/*** (changed)"
    assert webhook["secret"] == "*** (changed)"  # noqa: S105  (a mask)
    for secret in [*secrets, "m4rk-one", "m4rk-two", "m4rk-query"]:
        assert secret.encode() not in found


def test_a_secret_address_with_an_ipv6_host_and_a_port_is_kept_as_these(billing: Client) -> None:
    send_to = [{"type": "slack", "uri": "https://[2001:db8::1]:8443/m4rk-slack"}]
    alert = {"properties": {"when": {"paused": True}, "sendTo": send_to}}
    assert billing.put(f"{COLLECTION}/alerts/a", alert, query=OWN).status == 201

    (listed, *_) = billing.get("/audit", query=OWN).json["value"]
    entry = billing.get(listed["id"], query=OWN).json["properties"]

    (place,) = entry["after"]["properties"]["sendTo"]
    assert place["uri"] == "https://[2001:db8::1]:8443/***"
    assert place["host"] == "[2001:db8::1]:8443"
    assert b"m4rk-" not in everything(billing)


def test_a_credential_in_the_address_of_an_alert_that_changed_is_told(billing: Client) -> None:
    for sig in ("m4rk-1", "m4rk-2"):
        send_to = [{"type": "webhook", "uri": f"https://h.example/?sig={sig}&a=b"}]
        alert = {"properties": {"when": {"paused": True}, "sendTo": send_to}}
        assert billing.put(f"{COLLECTION}/alerts/a", alert, query=OWN).status in (200, 201)

    (entry, *_) = billing.get("/audit", query=OWN).json["value"]

    (change,) = entry["properties"]["changes"]
    assert [each["uri"] for each in change["before"]] == ["https://h.example/?sig=***&a=b"]
    assert [each["uri"] for each in change["after"]] == ["https://h.example/?sig=*** (changed)&a=b"]
    assert b"m4rk-" not in everything(billing)
