"""The description of the API held against the API: thousands of requests are made from it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from foliot.api.openapi.document import describe
from foliot.api.routes import OPERATIONS, ROUTES
from foliot.core.limits import Limits
from foliot.web.routing import Access
from tests.support.api_client import COLLECTION, JOB, Client, a_collection, http_job
from tests.support.template_bodies import DEPLOYMENT, a_template, deployment_of, template_job

ALERT = f"{COLLECTION}/alerts/oncall"
HOLIDAYS, OWN = f"{COLLECTION}/calendars/holidays", "api-version=2026-11-01"
AN_ALERT = {
    "properties": {
        "when": {"failed": {"inARow": 1}},
        "sendTo": [{"type": "webhook", "uri": "https://example.com/"}],
    }
}
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
NAMES = {
    "subscription": "11111111-2222-3333-4444-555555555555",
    "group": "Prod",
    "collection": "Billing",
    "job": "Nightly",
    "run": "0123456789abcdef0123456789abcdef",
    "calendar": "holidays",
    "alert": "oncall",
    "entry": "1",
    "deployment": "main",
    "operation": "00000001",
    "namespace": "Microsoft.Scheduler",
}
DOCUMENT = describe(OPERATIONS, Limits())
OPERATIONS = [
    (method, path)
    for path, methods in DOCUMENT["paths"].items()
    for method in methods
    if method != "parameters"
]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder: Path = tmp_path_factory.mktemp("openapi")
    with Client(folder) as opened:
        yield opened


@pytest.mark.parametrize(("method", "path"), OPERATIONS, ids=lambda part: part)
def test_no_request_made_from_the_description_gets_an_undescribed_answer(
    client: Client, method: str, path: str
) -> None:
    operation = schemathesis.openapi.from_asgi("/openapi.json", client.app)[path][method]

    @settings(max_examples=150, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(operation.as_strategy(), st.booleans())
    def call(case: Any, of_what_is_there: bool) -> None:  # noqa: FBT001  (hypothesis calls it so)
        if of_what_is_there:
            client.put(COLLECTION, a_collection("P20Premium"))
            client.put(JOB, http_job())
            client.put(HOLIDAYS, {"properties": {"dates": ["2026-12-25"]}}, query=OWN)
            client.put(ALERT, AN_ALERT, query=OWN)
            client.put(DEPLOYMENT, deployment_of(a_template(template_job())))
            case.path_parameters = {name: NAMES[name] for name in case.path_parameters or {}}
        case.call_and_validate(checks=CHECKS)

    call()


def test_the_description_names_every_route_and_no_other(client: Client) -> None:
    described = client.get("/openapi.json").json["paths"]

    documents = {"/docs", "/openapi.json"}
    assert {each.path for each in ROUTES if each.access is Access.DOCUMENT} == documents
    assert set(described) == {each.path for each in ROUTES} - documents


def test_the_description_can_be_read_as_a_page(client: Client) -> None:
    reply = client.get("/docs")

    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert b"Create or replace a job." in reply.content
