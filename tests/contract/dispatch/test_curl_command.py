"""The curl command of a request, run by bash, sends what the dispatcher sends."""

import asyncio
import os
import shutil
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from foliot.core.model.action import (
    BasicAuthentication,
    ClientCertificate,
    HttpRequest,
    OAuth,
    StandardWebhooks,
)
from foliot.core.model.attempt import AttemptRequest
from foliot.core.secret import Secret
from foliot.dispatch.http.curl_command import CurlCommand, curl_command
from tests.contract.dispatch.target import Received, target
from tests.support.dispatch_harness import a_request, dispatcher

SECRET = "Marker5ecret'\"$(touch x)`"  # noqa: S105  (of a test)
SIGNATURE = "Marker%2BSignature"
# What curl adds depends on how it was built.
ADDED_BY_CURL = frozenset({"accept-encoding"})

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=200)
SHELL = st.text(st.sampled_from("'\"\\$`!&|;<>(){}[]*?~#% \t\n\r\0a@-=é\u200b"), max_size=60)
VALUES = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=40)
HEADERS = st.dictionaries(st.from_regex(r"X-[a-z'$`|~!]{1,12}", fullmatch=True), VALUES, max_size=4)
METHODS = st.sampled_from(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "REPORT", "x'y"])

needs_curl = pytest.mark.skipif(
    shutil.which("curl") is None or shutil.which("bash") is None, reason="curl is not installed"
)


async def run_in_bash(command: str, variables: Mapping[str, str]) -> None:
    path = {"PATH": os.environ["PATH"]}
    started = await asyncio.create_subprocess_exec(
        *("bash", "-c", f"set -u; {command}"),
        env={**path, **variables},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, errors = await started.communicate()
    assert started.returncode == 0, (command, errors)


def sent_by_both(variables: Mapping[str, str], path: str = "/", **fields: Any) -> list[Received]:
    """Send a request with the dispatcher, and with its curl command."""

    async def steps() -> list[Received]:
        async with target() as server, dispatcher() as opened:
            request = a_request(server.url(path), **fields)
            await opened.dispatch(request)
            await run_in_bash(command_of(request).text, variables)
            return server.received

    return asyncio.run(steps())


def command_of(request: AttemptRequest) -> CurlCommand:
    assert isinstance(request.action.part, HttpRequest)
    return curl_command(request, request.action.part)


def facts(received: Received) -> Any:
    headers = sorted(
        (name.lower(), value)
        for name, value in received.headers
        if name.lower() not in ADDED_BY_CURL
    )
    return received.method, received.path, headers, received.body


@needs_curl
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(method=METHODS, body=st.none() | TEXTS | SHELL, headers=HEADERS)
@example(method="POST", body="-d @/etc/passwd\0\\x41%s%%\\", headers={})
@example(method="POST", body="@/etc/passwd", headers={"X-a": "@/etc/passwd", "X-b": ""})
@example(method="HEAD", body=None, headers={})
def test_the_command_sends_what_the_dispatcher_sends(
    method: str, body: str | None, headers: dict[str, str]
) -> None:
    first, second = sent_by_both({}, method=method, body=body, headers=headers)

    assert facts(second) == facts(first)


@needs_curl
@pytest.mark.parametrize(
    ("path", "fields", "variables"),
    [
        pytest.param(
            "/a?x=1",
            {"authentication": BasicAuthentication(username="a'n:n", password=Secret(SECRET))},
            {"PASSWORD": SECRET},
            id="basic",
        ),
        pytest.param(
            "/",
            {
                "authentication": BasicAuthentication(username="ann", password=Secret(SECRET)),
                "headers": {"Authorization": "Bearer replaced", "Content-Type": "text/plain"},
                "body": "text",
            },
            {"PASSWORD": SECRET},
            id="basic in place of a header",
        ),
        pytest.param(
            f"/[a]{{b}}?sig={SIGNATURE}&x=a'b&sig=Second&code=Third#fragment",
            {},
            {"SIG": SIGNATURE, "SIG_2": "Second", "CODE": "Third"},
            id="parameters, and brackets that curl expands",
        ),
        pytest.param(
            "/",
            {"headers": {"X-Api-Key": SECRET, "Cookie": "session=1; b=2", "0-token": "zero"}},
            {"X_API_KEY": SECRET, "COOKIE": "session=1; b=2", "_0_TOKEN": "zero"},
            id="headers with credentials",
        ),
        pytest.param("/a/../b/./c d?q=ü", {}, {}, id="a path that clients normalize"),
        pytest.param("", {}, {}, id="no path"),
    ],
)
def test_secrets_are_variables_of_the_command(
    path: str, fields: dict[str, Any], variables: dict[str, str]
) -> None:
    first, second = sent_by_both(variables, path, method="PUT", **fields)

    assert facts(second) == facts(first)
    command = command_of(a_request(f"http://h{path}", method="PUT", **fields))
    assert set(command.variables) == set(variables)
    for secret in variables.values():
        assert secret not in command.text


@needs_curl
def test_the_user_of_an_address_is_a_variable() -> None:
    async def steps() -> list[Received]:
        async with target() as server, dispatcher() as opened:
            request = a_request(server.url().replace("http://", "http://ann:p%40ss@"))
            await opened.dispatch(request)
            command = command_of(request)
            assert "p%40ss" not in command.text
            await run_in_bash(command.text, {"USER_AND_PASSWORD": "ann:p@ss"})
            return server.received

    first, second = asyncio.run(steps())

    assert facts(second) == facts(first)


@pytest.mark.parametrize(
    ("authentication", "words", "variables"),
    [
        pytest.param(
            OAuth(tenant="t", audience="a", client_id="c", secret=Secret("MarkerSecret")),
            "--header 'Authorization: Bearer '\"$ACCESS_TOKEN\"",
            ["ACCESS_TOKEN"],
            id="oauth",
        ),
        pytest.param(
            ClientCertificate(pfx=Secret("MarkerPfx"), password=Secret("MarkerSecret")),
            '--cert-type P12 --cert "$CERTIFICATE_FILE":"$PASSWORD"',
            ["CERTIFICATE_FILE", "PASSWORD"],
            id="certificate",
        ),
        pytest.param(
            StandardWebhooks(secret=Secret("whsec_MarkerSecret")),
            "--header 'webhook-signature: '\"$SIGNATURE\"",
            ["TIMESTAMP", "SIGNATURE"],
            id="webhook",
        ),
    ],
)
def test_what_cannot_be_written_down_is_left_to_the_caller(
    authentication: Any, words: str, variables: list[str]
) -> None:
    body = "a text with MarkerSecret in it"
    request = a_request("https://h/", method="POST", body=body, authentication=authentication)

    command = command_of(request)

    assert words in command.text
    assert command.variables == variables
    assert "MarkerSecret" not in command.text
    assert "MarkerPfx" not in command.text


def test_a_request_id_that_is_not_known_is_left_out() -> None:
    request = a_request("https://h/")

    assert "x-ms-client-request-id" in command_of(request).text
    assert "x-ms-client-request-id" not in command_of(replace(request, request_id="")).text
