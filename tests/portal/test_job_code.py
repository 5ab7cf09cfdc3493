"""The tab As code: each text creates the same job, and shows no secret."""

import json
import os
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from foliot.client.job_documents import TextOfFile, read_collections
from foliot.client.placeholders import fill_placeholders, revealed
from foliot.core.model.token import Role
from tests.portal.browser import COLLECTION, Browser
from tests.support import bodies

JOB = f"{COLLECTION}/jobs/Nightly"
SECRETS = ("m4rk-password", "m4rk-key", "m4rk-sig")
ODD = "cost: $5 `date` \\ \"quoted\" ${HOME} [x] 'y'"


@pytest.fixture
def shown(billing: Browser) -> Browser:
    """Return a browser of an Owner, with a job that has secrets and odd texts."""
    signing = {"type": "Basic", "username": "ann", "password": SECRETS[0]}
    job = bodies.request_job(
        uri="https://a.example/?x=1&sig=m4rk-sig",
        authentication=signing,
        headers={"X-Api-Key": "m4rk-key", "X-Odd": ODD},
        body=f"{ODD}\nsecond line",
    )
    job["properties"] |= {"state": "disabled", "description": "[not an expression]"}
    billing.api("PUT", "Billing/jobs/Nightly", job, version="2026-11-01")
    return billing


def text_of(browser: Browser, name: str) -> str:
    page = browser.get(f"{JOB}/code")
    found = re.search(rf'<pre id="{name}"[^>]*>(.*?)</pre>', page.text, re.DOTALL)
    assert found
    return unescape(found[1])


@pytest.mark.parametrize("role", [Role.READER, Role.OWNER])
def test_no_secret_is_shown(shown: Browser, role: Role) -> None:
    shown.add_token("them", role)
    shown.sign_in("them")

    page = shown.get(f"{JOB}/code")

    assert page.status == 200
    assert not any(secret in page.text for secret in SECRETS)


def test_a_text_of_the_job_cannot_name_a_variable(billing: Browser) -> None:
    marks = "".join(
        f"{chr(0xE000) * length}0{end}" for length in (1, 2, 3) for end in (";", chr(0xE001))
    )
    job = bodies.request_job(
        uri="https://a.example/", headers={"Authorization": "m4rk"}, body=marks
    )
    billing.api("PUT", "Billing/jobs/Nightly", job, version="2026-11-01")

    assert text_of(billing, "curl").count("${") == 1


def test_the_command_of_curl_sends_the_job(shown: Browser, tmp_path: Path) -> None:
    """The shell runs the command; a program in place of curl keeps what it is given."""
    shell = shutil.which("sh")
    assert shell is not None
    fake = tmp_path / "curl"
    fake.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$OUT/arguments"\ncat > "$OUT/body"\n')
    fake.chmod(0o755)
    variables = {"NIGHTLY_PASSWORD": SECRETS[0], "NIGHTLY_X_API_KEY": SECRETS[1]}
    variables |= {"NIGHTLY_SIG": SECRETS[2], "FOLIOT_TOKEN": "t0ken", "OUT": str(tmp_path)}
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}

    subprocess.run(  # noqa: S603  (a command of ours)
        [shell], input=text_of(shown, "curl"), text=True, env=variables | path, check=True
    )

    sent = json.loads((tmp_path / "body").read_text("utf-8"))
    request = sent["properties"]["action"]["request"]
    assert request["uri"] == "https://a.example/?x=1&sig=m4rk-sig"
    assert request["authentication"]["password"] == SECRETS[0]
    assert request["headers"] == {"X-Api-Key": SECRETS[1], "X-Odd": ODD}
    assert request["body"] == f"{ODD}\nsecond line"
    assert sent["properties"]["state"] == "disabled"
    arguments = (tmp_path / "arguments").read_text("utf-8")
    assert "/jobCollections/Billing/jobs/Nightly?api-version=2026-11-01" in arguments
    assert "Authorization: Bearer t0ken" in arguments


def test_the_file_is_one_that_apply_reads(shown: Browser) -> None:
    text = text_of(shown, "yaml")

    (declared,) = read_collections([TextOfFile("job.yaml", text.encode())])
    assert declared.jobs is not None
    filled = fill_placeholders(declared.jobs["Nightly"].properties, lambda _, name: f"<{name}>")
    request: Any = revealed(filled)["action"]["request"]

    assert request["authentication"]["password"] == "<NIGHTLY_PASSWORD>"  # noqa: S105  (a variable)
    assert request["headers"]["X-Odd"] == ODD
    assert "#   NIGHTLY_PASSWORD" in text


def test_the_template_has_secure_parameters(shown: Browser) -> None:
    template = json.loads(text_of(shown, "template"))

    (resource,) = template["resources"]
    assert resource["name"] == "Billing/Nightly"
    assert resource["properties"]["description"] == "[[not an expression]"
    assert set(template["parameters"]) == {"NIGHTLY_PASSWORD", "NIGHTLY_X_API_KEY", "NIGHTLY_SIG"}
    assert {each["type"] for each in template["parameters"].values()} == {"securestring"}


def test_a_deployment_of_the_template_creates_the_job(shown: Browser) -> None:
    template = json.loads(text_of(shown, "template"))
    shown.api("DELETE", "Billing/jobs/Nightly")
    given = {name: {"value": "again"} for name in template["parameters"]}
    body = {"properties": {"mode": "Incremental", "template": template, "parameters": given}}

    base = "/subscriptions/me/resourcegroups/home/providers/Microsoft.Resources/deployments/one"
    answer = shown.call(
        "PUT",
        f"{base}?api-version=2021-04-01",
        json.dumps(body).encode(),
        headers={"authorization": "Bearer owner-token", "accept": "application/json"},
    )

    assert answer.status < 300, answer.text
    stored = shown.api("GET", "Billing/jobs/Nightly")
    assert stored["properties"]["action"]["request"]["headers"]["X-Odd"] == ODD
