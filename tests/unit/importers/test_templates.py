"""The templates of the contract tests, imported: what they deploy becomes a file."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import tests.contract.templates.test_templates as contract
from foliot.cli import app
from foliot.core.yaml_text import YAML_WORDS, parse_yaml

SAMPLES = {each.name: each for each in contract.SAMPLES}


def run(tmp_path: Path, name: str, *options: str) -> Result:
    sample = SAMPLES[name]
    values = tmp_path / "values.json"
    values.write_text(json.dumps({each: {"value": it} for each, it in sample.parameters.items()}))
    arguments = [f"{contract.FOLDER / name}.json", "--parameters", str(values), *options]
    return CliRunner().invoke(app, ["import", "arm", *arguments, "--now", "2026-01-10"])


def documents(text: str) -> list[Any]:
    return parse_yaml(text.encode(), YAML_WORDS)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_template_becomes_the_jobs_that_its_deployment_makes(tmp_path: Path, name: str) -> None:
    result = run(tmp_path, name)

    assert result.exit_code == 0, result.output
    (document,) = documents(result.stdout)
    assert SAMPLES[name].collection in ("", document["collection"]["name"])
    assert set(document["jobs"]) == set(SAMPLES[name].next_runs)
    assert "hidden-" not in result.output


def test_secrets_of_templates_are_written_if_they_are_kept(tmp_path: Path) -> None:
    (document,) = documents(run(tmp_path, "authentication", "--keep-secrets").stdout)

    basic = document["jobs"]["basic"]["action"]["request"]["authentication"]
    assert basic == {"type": "Basic", "username": "ann", "password": "hidden-password"}


def test_a_secure_parameter_becomes_a_placeholder_also_without_a_value(tmp_path: Path) -> None:
    template = tmp_path / "template.json"
    template.write_text(
        json.dumps(
            {
                "parameters": {"apiToken": {"type": "secureString"}},
                "resources": [
                    {
                        "type": "Microsoft.Scheduler/jobCollections/jobs",
                        "apiVersion": "2016-03-01",
                        "name": "c/j",
                        "properties": {
                            "action": {
                                "type": "Https",
                                "request": {
                                    "uri": "https://example.com",
                                    "method": "GET",
                                    "headers": {"X": "[concat('Bearer ', parameters('apiToken'))]"},
                                },
                            }
                        },
                    },
                    {"type": "Microsoft.Web/sites", "apiVersion": "2016-03-01", "name": "web"},
                ],
            }
        )
    )

    result = CliRunner().invoke(app, ["import", "arm", str(template), "--now", "2026-01-10"])

    (document,) = documents(result.stdout)
    headers = document["jobs"]["j"]["action"]["request"]["headers"]
    assert headers == {"X": "Bearer ${env:APITOKEN}"}
    assert "Microsoft.Web/sites web is no job." in result.stderr
    assert "the collection c itself is not in the files" in result.stderr
    assert "without a startTime it runs at once" in result.stderr


def test_only_a_nested_template_that_is_not_deployed_is_in_the_report(tmp_path: Path) -> None:
    def nested(name: str, *, condition: bool) -> Any:
        request = {"uri": "https://example.com", "method": "GET"}
        job = {
            "type": "Microsoft.Scheduler/jobCollections/jobs",
            "apiVersion": "2016-03-01",
            "name": f"c/{name}",
            "properties": {"action": {"type": "Https", "request": request}},
        }
        return {
            "type": "Microsoft.Resources/deployments",
            "apiVersion": "2021-04-01",
            "name": f"of-{name}",
            "condition": condition,
            "properties": {"mode": "Incremental", "template": {"resources": [job]}},
        }

    template = tmp_path / "template.json"
    resources = [nested("a", condition=True), nested("b", condition=False)]
    template.write_text(json.dumps({"resources": resources}))

    result = CliRunner().invoke(app, ["import", "arm", str(template), "--now", "2026-01-10"])

    (document,) = documents(result.stdout)
    assert set(document["jobs"]) == {"a"}
    assert "of-b is not deployed: its condition is false." in result.stderr
    assert "of-a" not in result.stderr


def test_values_may_be_given_as_a_plain_object_but_not_as_something_else(tmp_path: Path) -> None:
    template, values = str(contract.FOLDER / "simple-http.json"), tmp_path / "values.json"
    arguments = ["import", "arm", template, "--parameters", str(values)]

    values.write_text('{"jobCollectionName": "first"}')
    plain = CliRunner().invoke(app, arguments)
    values.write_text('{"$schema": "x", "parameters": {"jobCollectionName": {"value": "first"}}}')
    of_a_file = CliRunner().invoke(app, arguments)
    values.write_text("[]")
    wrong = CliRunner().invoke(app, arguments)

    assert plain.stdout == of_a_file.stdout != ""
    assert wrong.stderr == "foliot import: the parameters are not an object {...}.\n"


def test_a_wrong_template_is_refused_with_its_path() -> None:
    template = str(contract.FOLDER / "simple-http.json")

    result = CliRunner().invoke(app, ["import", "arm", template])

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"foliot import: {template}: parameters.jobCollectionName: "
        "has no value and no default; give a string. "
        "`--parameters FILE` has the values of parameters.\n"
    )
