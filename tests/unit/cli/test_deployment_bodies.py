"""Bodies of deployments hold jobs as they are, whatever their texts look like."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from foliot.cli.files.deployment_bodies import DeployedJob, deployment_body, deployment_name
from foliot.client.placeholders import fill_placeholders
from foliot.core.ids import CollectionKey, check_deployment
from foliot.importers.template_resources import escaped_text
from foliot.templates.syntax import is_expression, literal_text

KEY = CollectionKey("s", "g", "c")


@given(st.text(alphabet="[]a'"))
def test_no_text_becomes_an_expression(text: str) -> None:
    written = escaped_text(text)

    assert not is_expression(written)
    assert literal_text(written) == text


def test_values_of_placeholders_are_in_a_secure_parameter_alone() -> None:
    filled = fill_placeholders({"a": "x ${env:A}", "[b]": ["[c]"]}, lambda *_: "s3cret")

    body: Any = deployment_body(KEY, None, [DeployedJob("j", filled)])

    template, parameters = body["properties"]["template"], body["properties"]["parameters"]
    (resource,) = template["resources"]
    assert resource["properties"] == {"a": "[parameters('values').v0]", "[[b]": ["[[c]"]}
    assert parameters == {"values": {"value": {"v0": "x s3cret"}}}
    assert template["parameters"] == {"values": {"type": "secureObject"}}
    assert "s3cret" not in json.dumps(template)


def test_a_collection_has_deployments_of_few_names_that_the_server_accepts() -> None:
    long = CollectionKey("s", "g", "c" * 100)

    for key in (KEY, long):
        check_deployment(deployment_name(key))
        assert deployment_name(key) != deployment_name(key, 2)
    assert deployment_name(KEY) == "apply-c"
