"""No answer, record, refusal or log line about a deployment shows a secret."""

import logging
from typing import Any

import pytest

from foliot.core.model.token import Role
from foliot.core.rules import shown_values
from tests.support.api_client import JOB, Client, Reply
from tests.support.bodies import basic
from tests.support.template_bodies import (
    DEPLOYMENT,
    DEPLOYMENTS,
    VERSION,
    a_template,
    deployment_of,
    template_collection,
    template_job,
)

MARK = "m4rk-secret"
JOB_ID = "[resourceId('Microsoft.Scheduler/jobCollections/jobs', 'Billing', 'Nightly')]"


def put(client: Client, template: Any, **parameters: Any) -> Reply:
    values = {name: {"value": value} for name, value in parameters.items()}
    return client.put(DEPLOYMENT, deployment_of(template, values), query=VERSION)


def with_password(kind: str, value: str = "[parameters('word')]", **elements: Any) -> Any:
    """Return a template whose job has a password that is a parameter of a type."""
    job = template_job() | basic(password=value)
    return a_template(template_collection(), job, parameters={"word": {"type": kind}}, **elements)


@pytest.mark.parametrize("kind", ["string", "securestring"])
def test_the_value_of_a_secret_is_left_out_whatever_its_type(client: Client, kind: str) -> None:
    reply = put(client, with_password(kind), word=MARK)

    assert reply.status == 201
    shown = reply.json["properties"]["parameters"]["word"]
    assert shown == {"type": "SecureString" if kind == "securestring" else "String"}
    everything = (reply, client.get(DEPLOYMENT), client.get(DEPLOYMENTS), client.get(JOB))
    assert [each for each in everything if MARK.encode() in each.content] == []
    assert client.job().definition.action.part.authentication.password.reveal() == MARK


@pytest.mark.parametrize(
    "value",
    [
        "[parameters('word')]",
        "[concat('user:', parameters('word'))]",
        "[createObject('a', createArray(parameters('word')))]",
    ],
)
def test_an_output_never_shows_a_secret(client: Client, value: str) -> None:
    kind = "object" if "createObject" in value else "string"
    plain = with_password("string", outputs={"o": {"type": kind, "value": value}})
    secure = with_password("securestring", outputs={"o": {"type": kind, "value": value}})

    shown, refused = put(client, plain, word=MARK), put(client, secure, word=MARK)

    assert shown.status == 201
    assert "value" not in shown.json["properties"]["outputs"]["o"]
    for reply in (shown, refused, client.get(DEPLOYMENT)):
        assert MARK.encode() not in reply.content


@pytest.mark.parametrize(
    "use",
    [
        "[int(parameters('word'))]",
        "[parameters('word').x]",
        "[substring(parameters('word'), 900, 1)]",
        "[json(parameters('word'))]",
        "[createObject(parameters('word'), 1).y]",
        "[reference(parameters('word'))]",
        "[variables(parameters('word'))]",
        "[base64ToString(concat(parameters('word'), '%'))]",
        "[dateTimeAdd(parameters('word'), 'P1D')]",
        "[uri(parameters('word'), 'x')]",
    ],
)
def test_a_refusal_does_not_show_a_secure_parameter(client: Client, use: str) -> None:
    template = a_template(
        template_collection(tags={"a": use}), parameters={"word": {"type": "securestring"}}
    )

    reply = put(client, template, word=MARK)

    assert reply.status == 400, use
    assert MARK not in reply.message


WORD = "[parameters('word')]"


@pytest.mark.parametrize(
    "resources",
    [
        [template_collection(), template_job(state=WORD)],
        [template_collection(), template_job(state="[toUpper(parameters('word'))]")],
        [template_collection(), template_job(startTime=WORD)],
        [template_collection(), template_job(state=f"[concat('{'x' * 60}', parameters('word'))]")],
        [template_collection(), template_job("[concat('Billing/', parameters('word'), '!')]")],
        [template_collection("[concat(parameters('word'), '!')]")],
        [template_collection(location=WORD)],
        [template_job("[concat(parameters('word'), '/j')]")],
    ],
    ids=["state", "upper case", "time", "cut", "job name", "name", "location", "not found"],
)
@pytest.mark.parametrize("secret", [MARK, f"{MARK}-" * 30], ids=["short", "long"])
@pytest.mark.parametrize("is_given", [True, False], ids=["given", "default"])
def test_a_refused_value_that_is_a_secure_parameter_is_not_shown(
    client: Client, resources: list[Any], secret: str, *, is_given: bool
) -> None:
    put(client, a_template(template_collection()))
    default = {} if is_given else {"defaultValue": secret}
    template = a_template(*resources, parameters={"word": {"type": "secureString"} | default})

    reply = put(client, template, **({"word": secret} if is_given else {}))

    assert reply.status in (400, 404, 409)
    assert "m4rk" not in reply.message.lower()
    assert "properties.template.resources[" in reply.message


@pytest.mark.parametrize(
    "declared",
    [
        {"type": "securestring", "allowedValues": ["a"]},
        {"type": "securestring", "maxLength": 3},
        {"type": "securestring", "minLength": 30},
        {"type": "secureObject"},
    ],
    ids=str,
)
def test_a_secure_value_that_is_not_accepted_is_not_shown(
    client: Client, declared: dict[str, Any]
) -> None:
    reply = put(client, a_template(parameters={"word": declared}), word=MARK)

    assert reply.status == 400
    assert MARK not in reply.message


@pytest.mark.parametrize("secret", ['a"b\\c/ä', "line\nbreak"], ids=["quotes", "lines"])
def test_a_secret_is_recognised_however_json_writes_it(client: Client, secret: str) -> None:
    reply = put(client, with_password("string"), word=secret)

    assert reply.status == 201
    assert reply.json["properties"]["parameters"] == {"word": {"type": "String"}}


@pytest.mark.parametrize("more", ["", ", '2016-03-01', 'Full'"])
def test_a_reference_of_an_output_shows_no_secret(client: Client, more: str) -> None:
    value = f"[reference({JOB_ID[1:-1]}{more})]"
    outputs = {"job": {"type": "object", "value": value}}
    template = with_password("securestring", outputs=outputs)

    reply = put(client, template, word=MARK)

    assert reply.status == 201, reply.content
    assert MARK.encode() not in reply.content
    assert '"username":"ann"' in reply.content.decode()


def test_outputs_mask_credentials_that_stand_in_the_open(client: Client) -> None:
    uri = f"https://ann:{MARK}@example.com/?sig={MARK}"
    job = template_job()
    job["properties"]["action"]["request"] |= {"uri": uri, "headers": {"X-Key": MARK}}
    value = f"[reference({JOB_ID[1:-1]}, '2016-03-01').action.request]"
    outputs = {"request": {"type": "object", "value": value}}

    reply = put(client, a_template(template_collection(), job, outputs=outputs))

    assert reply.json["properties"]["outputs"]["request"]["value"] == {
        "uri": "https://***@example.com/?sig=***",
        "method": "get",
        "headers": {"X-Key": "***"},
    }
    assert MARK.encode() not in reply.content


def test_a_reader_sees_parameters_and_outputs_without_credentials(client: Client) -> None:
    declared = {"uri": {"type": "string"}, "apiKey": {"type": "string"}, "n": {"type": "int"}}
    outputs = {"all": {"type": "array", "value": "[createArray(parameters('uri'))]"}}
    template = a_template(parameters=declared, outputs=outputs)
    uri = f"https://example.com/?code={MARK}"
    made = put(client, template, uri=uri, apiKey=MARK, n=5)

    client.principal(Role.READER)
    shown = client.get(DEPLOYMENT)

    assert made.json["properties"]["parameters"]["uri"]["value"] == uri
    properties = shown.json["properties"]
    assert properties["parameters"] == {
        "uri": {"type": "String", "value": "https://example.com/?code=***"},
        "apiKey": {"type": "String"},
        "n": {"type": "Int", "value": 5},
    }
    assert properties["outputs"]["all"]["value"] == ["https://example.com/?code=***"]
    assert MARK.encode() not in shown.content + client.get(DEPLOYMENTS).content


HEADERS = {"Authorization": f"Bearer {MARK}"}


@pytest.mark.parametrize("role", [Role.READER, Role.OWNER])
def test_nobody_sees_a_credential_of_a_job_in_parameters_and_outputs(
    client: Client, role: Role
) -> None:
    job = template_job()
    uri = "[concat('https://example.com/?code=', uriComponent(parameters('hook')))]"
    job["properties"]["action"]["request"] |= {"uri": uri, "headers": "[parameters('headers')]"}
    declared = {name: {"type": "string"} for name in ("hook", "bare", "other")}
    outputs = {
        "headers": {"type": "object", "value": "[parameters('headers')]"},
        "said": {"type": "string", "value": "[concat('it is ', parameters('bare'))]"},
    }
    template = a_template(
        template_collection(),
        job,
        parameters=declared | {"headers": {"type": "object"}},
        outputs=outputs,
    )
    made = put(client, template, headers=HEADERS, hook="h00k/ä", bare=MARK, other="plain")

    client.principal(role)
    shown = client.get(DEPLOYMENT)

    assert made.status == 201
    for reply in (made, shown):
        assert [mark for mark in (MARK, "h00k") if mark in reply.content.decode()] == []
        properties = reply.json["properties"]
        assert properties["parameters"]["other"] == {"type": "String", "value": "plain"}
        assert properties["outputs"]["headers"] == {"type": "Object"}


def test_a_reader_sees_no_credential_inside_an_object(client: Client) -> None:
    put(client, a_template(parameters={"headers": {"type": "object"}}), headers=HEADERS)

    client.principal(Role.READER)

    shown = client.get(DEPLOYMENT).json["properties"]["parameters"]["headers"]
    assert shown["value"] == {"Authorization": "***"}


def test_no_value_is_shown_if_there_are_too_many_to_search(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shown_values, "MAX_SEARCHED", 10)
    template = with_password("string", MARK)

    reply = put(client, template, word="plain")

    assert reply.json["properties"]["parameters"] == {"word": {"type": "String"}}


def test_no_log_line_shows_a_secret(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    put(client, with_password("securestring"), word=MARK)
    put(client, with_password("securestring", "[int(parameters('word'))]"), word=MARK)

    assert [record for record in caplog.records if MARK in record.getMessage()] == []
