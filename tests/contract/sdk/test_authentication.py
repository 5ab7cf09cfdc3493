"""Azure's client and jobs that authenticate: what they are is told, their secrets are not."""

from base64 import b64encode
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pytest
from azure.core.exceptions import HttpResponseError, ResourceExistsError
from azure.mgmt.scheduler.models import (
    BasicAuthentication,
    ClientCertAuthentication,
    HttpAuthentication,
    HttpRequest,
    JobDefinition,
    JobProperties,
    OAuthAuthentication,
)
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption
from cryptography.hazmat.primitives.serialization.pkcs12 import serialize_key_and_certificates
from cryptography.x509.oid import NameOID

from tests.contract.sdk.clients import Azure
from tests.contract.sdk.models import GROUP, a_collection, a_job, http_action

JOB = (GROUP, "ledger", "close-month")
EXPIRY = datetime(2041, 5, 6, 7, 8, 9, tzinfo=UTC)
PASSWORD = "s3cret"  # noqa: S105  (made for these tests)


class Pfx(NamedTuple):
    content: str
    thumbprint: str


@pytest.fixture(scope="module")
def pfx() -> Pfx:
    """Return a certificate with its key, as a client uploads it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ledger client")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(4711)
        .not_valid_before(datetime(2024, 1, 1, tzinfo=UTC))
        .not_valid_after(EXPIRY)
        .sign(key, hashes.SHA256())
    )
    encryption = BestAvailableEncryption(PASSWORD.encode())
    content = serialize_key_and_certificates(b"ledger", key, certificate, None, encryption)
    # SHA-1 is what the contract names a certificate by.
    thumbprint = certificate.fingerprint(hashes.SHA1()).hex().upper()  # noqa: S303
    return Pfx(b64encode(content).decode(), thumbprint)


def job_with(authentication: HttpAuthentication, uri: str = "https://ledger.invalid/") -> Any:
    request = HttpRequest(uri=uri, method="GET", authentication=authentication)
    return a_job(action=http_action(request=request))


def test_basic_authentication_comes_back_without_its_password(ledger: Azure) -> None:
    job = job_with(BasicAuthentication(username="anna", password=PASSWORD))

    created = ledger.jobs.create_or_update(*JOB, job)

    returned = created.properties.action.request.authentication
    assert isinstance(returned, BasicAuthentication)
    assert returned.as_dict() == {"type": "Basic", "username": "anna"}
    assert ledger.jobs.get(*JOB) == created


def test_oauth_comes_back_without_its_secret(ledger: Azure) -> None:
    job = job_with(
        OAuthAuthentication(
            tenant="ledger.invalid", audience="https://a.invalid/", client_id="c", secret=PASSWORD
        )
    )

    created = ledger.jobs.create_or_update(*JOB, job)

    returned = created.properties.action.request.authentication
    assert isinstance(returned, OAuthAuthentication)
    assert returned.as_dict() == {
        "type": "ActiveDirectoryOAuth",
        "tenant": "ledger.invalid",
        "audience": "https://a.invalid/",
        "client_id": "c",
    }
    assert ledger.jobs.get(*JOB) == created


def test_a_client_certificate_comes_back_as_what_can_be_told_of_it(ledger: Azure, pfx: Pfx) -> None:
    job = job_with(ClientCertAuthentication(pfx=pfx.content, password=PASSWORD))

    created = ledger.jobs.create_or_update(*JOB, job)

    returned = created.properties.action.request.authentication
    assert isinstance(returned, ClientCertAuthentication)
    assert (returned.pfx, returned.password) == (None, None)
    assert returned.certificate_thumbprint == pfx.thumbprint
    assert returned.certificate_expiration_date == EXPIRY
    assert returned.certificate_subject_name == "CN=ledger client"
    assert ledger.jobs.get(*JOB) == created


@pytest.mark.parametrize("kind", ["basic", "oauth", "certificate"])
def test_a_job_that_was_read_keeps_its_secret_when_it_is_sent_back(
    ledger: Azure, pfx: Pfx, kind: str
) -> None:
    authentication = {
        "basic": BasicAuthentication(username="anna", password=PASSWORD),
        "oauth": OAuthAuthentication(tenant="t", audience="a", client_id="c", secret=PASSWORD),
        "certificate": ClientCertAuthentication(pfx=pfx.content, password=PASSWORD),
    }[kind]
    read = ledger.jobs.create_or_update(*JOB, job_with(authentication))

    updated = ledger.jobs.create_or_update(*JOB, read)
    patched = ledger.jobs.patch(*JOB, JobDefinition(properties=JobProperties(state="Enabled")))

    assert updated == read
    assert patched == read


def test_a_kept_secret_does_not_follow_a_job_to_another_host(ledger: Azure) -> None:
    ledger.jobs.create_or_update(
        *JOB, job_with(BasicAuthentication(username="anna", password=PASSWORD))
    )
    moved = job_with(BasicAuthentication(username="anna"), uri="https://elsewhere.invalid/")

    with pytest.raises(HttpResponseError, match="send the secret again") as refused:
        ledger.jobs.create_or_update(*JOB, moved)

    assert refused.value.status_code == 400
    read = ledger.jobs.get(*JOB)
    assert read.properties.action.request.uri == "https://ledger.invalid/"


def test_the_free_plan_has_no_authentication(azure: Azure) -> None:
    azure.job_collections.create_or_update(GROUP, "ledger", a_collection("Free"))
    job = job_with(BasicAuthentication(username="anna", password=PASSWORD))

    with pytest.raises(ResourceExistsError, match="authentication") as refused:
        azure.jobs.create_or_update(*JOB, job)

    assert refused.value.error.code == "ConflictError"
