"""Client certificates: what is told of them, and what is refused."""

# ruff: noqa: S106  (the secrets are made up)

from typing import Any

import pytest

from tests.api.stored import secrets_of
from tests.support.api_client import JOB, Client
from tests.support.bodies import certificate
from tests.support.certificates import a_pfx

FILE = "properties.action.request.authentication.pfx"
PFX = a_pfx("client", "word")
FULL_CERTIFICATE = certificate(pfx=PFX.text, password="word")


@pytest.mark.parametrize("password", [None, "", "word"], ids=["none", "empty", "some"])
def test_a_certificate_comes_back_by_what_is_told_of_it(
    billing: Client, password: str | None
) -> None:
    pfx = a_pfx("client", password)

    reply = billing.put(JOB, certificate(pfx=pfx.text, password=password))

    shown = reply.json["properties"]["action"]["request"]["authentication"]
    assert list(shown.items()) == [
        ("certificateThumbprint", pfx.thumbprint),
        ("certificateExpiration", "2026-12-31T23:59:59Z"),
        ("certificateExpirationDate", "2026-12-31T23:59:59Z"),
        ("certificateSubjectName", "CN=client, O=Acme"),
        ("type", "ClientCertificate"),
    ]


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_certificate_is_replaced_by_another(billing: Client, method: str) -> None:
    billing.put(JOB, FULL_CERTIFICATE)
    other = a_pfx("other")

    reply = billing.call(method, JOB, certificate("https://other.com/", pfx=other.text))

    shown = reply.json["properties"]["action"]["request"]["authentication"]
    assert shown["certificateThumbprint"] == other.thumbprint
    assert shown["certificateSubjectName"] == "CN=other, O=Acme"
    assert secrets_of(billing) == [other.text]


def test_a_certificate_may_be_named_in_any_letter_case(billing: Client) -> None:
    billing.put(JOB, FULL_CERTIFICATE)

    named = certificate(certificateThumbprint=PFX.thumbprint.lower())

    assert billing.put(JOB, named).status == 200
    assert secrets_of(billing) == [PFX.text, "word"]


@pytest.mark.parametrize(
    "body",
    [certificate(), certificate(certificateThumbprint="AB")],
    ids=["nothing", "thumbprint"],
)
def test_a_certificate_that_is_not_there_is_asked_for(billing: Client, body: Any) -> None:
    reply = billing.put(JOB, body)

    assert (reply.status, reply.message) == (
        400,
        f"{FILE}: is missing; give the PFX file encoded in base64.",
    )


def test_a_certificate_cannot_be_removed_without_another_authentication(billing: Client) -> None:
    billing.put(JOB, FULL_CERTIFICATE)

    patch = {"properties": {"action": {"request": {"authentication": {"pfx": None}}}}}

    assert billing.patch(JOB, patch).status == 400
    assert secrets_of(billing) == [PFX.text, "word"]


@pytest.mark.parametrize(
    ("pfx", "password"),
    [(PFX.text, "wrong"), (PFX.text, None), (a_pfx("client", has_key=False).text, None)],
    ids=["wrong password", "no password", "no key"],
)
def test_a_certificate_that_cannot_be_used_is_refused(
    billing: Client, pfx: str, password: str | None
) -> None:
    reply = billing.put(JOB, certificate(pfx=pfx, password=password))

    assert reply.status == 400
    assert reply.message.startswith(f"{FILE}: ")
