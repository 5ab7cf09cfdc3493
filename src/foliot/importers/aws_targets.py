"""Targets of Amazon EventBridge: API destinations with their connections become requests."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, urlencode

from msgspec import structs

from foliot.core.errors import Invalid, shown
from foliot.core.json_text import Json
from foliot.importers.documents import Fields, strings
from foliot.importers.hidden_text import environment, variable_name
from foliot.importers.http_call import HttpCall, basic
from foliot.importers.job_parts import exponential_retries

# What EventBridge does unless told otherwise: up to 185 retries within a day.
_RETRIES = 185
_FIRST_PAUSE, _LONGEST_PAUSE = 30, 3600
_LONGEST_AGE = 86_400
_SERVICES = {
    "lambda": "a Lambda function; give it a function URL, and call that",
    "sqs": "an SQS queue; call an HTTP endpoint that puts the message there",
    "sns": "an SNS topic; call an HTTP endpoint that publishes the message",
    "states": "a Step Functions state machine; call an HTTP endpoint that starts it",
    "ecs": "an ECS task; let a service do the work, and call that",
    "scheduler": "a call of an AWS API; call an HTTP endpoint that makes it",
}


class Destinations:
    """API destinations and connections, by their names."""

    def __init__(self, destinations: Iterable[Fields], connections: Iterable[Fields]) -> None:
        self._destinations = {
            _name_in(each.text("ApiDestinationArn")): each for each in destinations
        }
        self._connections = {each.text("Name"): each for each in connections}

    def destination(self, arn: str) -> Fields:
        """Return an API destination."""
        name = _name_in(arn)
        if name not in self._destinations:
            raise Invalid(
                (),
                f"the files do not have the API destination {shown(name)}; give the output of "
                "aws events list-api-destinations too.",
            )
        return self._destinations[name]

    def connection(self, destination: Fields) -> Fields | None:
        """Return the connection of an API destination, if the files have it."""
        return self._connections.get(_name_in(destination.text("ConnectionArn")))


def read_target(
    target: Fields, destinations: Destinations, notes: list[str]
) -> tuple[HttpCall, bool]:
    """Read a target as a request; tell also whether it has all that it needs to authenticate."""
    arn = target.required_text("Arn")
    parts = arn.split(":")
    service = parts[2] if len(parts) > 2 else ""  # noqa: PLR2004  (arn:partition:service:…)
    if service != "events" or ":api-destination/" not in arn:
        what = _SERVICES.get(service, f"{shown(arn)}, which is no API destination")
        raise Invalid((), f"the target is {what}.")
    destination = destinations.destination(arn)
    body = _body(target, notes)
    call = HttpCall(
        uri=_address(destination.required_text("InvocationEndpoint"), target),
        method=destination.text("HttpMethod", "POST"),
        headers=_headers(target, has_body=body is not None),
        body=body,
        retry_policy=_retry_policy(target, notes),
    )
    if "DeadLetterConfig" in target:
        notes.append("a dead-letter queue has no counterpart; an errorAction may tell of failures")
    return _authenticated(call, destinations.connection(destination), notes)


def _headers(target: Fields, *, has_body: bool) -> dict[str, str]:
    given = target.object("HttpParameters").texts("HeaderParameters")
    if has_body and not any(name.lower() == "content-type" for name in given):
        return {"Content-Type": "application/json; charset=utf-8", **given}
    return given


def _name_in(arn: str) -> str:
    """Return the name in `arn:aws:events:…:connection/NAME/ID`."""
    parts = arn.split("/")
    return parts[1] if len(parts) > 1 else arn


def _address(endpoint: str, target: Fields) -> str:
    """Fill path and query of an endpoint with the parameters of the target."""
    parameters = target.object("HttpParameters")
    for value in strings(parameters.items("PathParameterValues"), parameters.path):
        endpoint = endpoint.replace("*", quote(value, safe=""), 1)
    if "*" in endpoint:
        raise Invalid((), "a * in the address of the API destination has no value in the target.")
    return _with_query(endpoint, parameters.texts("QueryStringParameters"))


def _with_query(address: str, query: dict[str, str]) -> str:
    if not query:
        return address
    return f"{address}{'&' if '?' in address else '?'}{urlencode(query, safe='${}:')}"


def _body(target: Fields, notes: list[str]) -> str | None:
    if "InputTransformer" in target or "InputPath" in target:
        raise Invalid(
            (),
            "the body is made from the event (InputTransformer or InputPath), which a job does not "
            "have; write it as Input, or as a text template.",
        )
    if "Input" in target:
        return target.text("Input")
    notes.append("the body was the event of EventBridge; the job sends no body")
    return None


def _retry_policy(target: Fields, notes: list[str]) -> dict[str, Any]:
    policy = target.object("RetryPolicy")
    count = policy.number("MaximumRetryAttempts", _RETRIES)
    if policy.number("MaximumEventAgeInSeconds", _LONGEST_AGE) != _LONGEST_AGE:
        notes.append("MaximumEventAgeInSeconds has no counterpart; retryCount ends the retries")
    return exponential_retries(count, _FIRST_PAUSE, _LONGEST_PAUSE, notes=notes)


def _authenticated(
    call: HttpCall, connection: Fields | None, notes: list[str]
) -> tuple[HttpCall, bool]:
    """Add what a connection adds to a request."""
    if connection is None:
        notes.append(
            "the files do not have the connection of the API destination, which has its "
            "authentication: the job is disabled until it has one"
        )
        return call, False
    name, parameters = connection.text("Name"), connection.object("AuthParameters")
    call = _with_parameters(call, name, parameters.object("InvocationHttpParameters"), notes)
    match connection.text("AuthorizationType"):
        case "BASIC":
            user = parameters.object("BasicAuthParameters").text("Username")
            return structs.replace(call, authentication=basic(user, None)), True
        case "API_KEY":
            header = parameters.object("ApiKeyAuthParameters").required_text("ApiKeyName")
            value = environment(variable_name(name, header))
            return structs.replace(call, headers={**call.headers, header: value}), True
        case other:
            notes.append(
                f"the connection {name} authenticates by {other or 'nothing known'}, which Foliot "
                "cannot: the job is disabled until it has another authentication"
            )
            return call, False


def _with_parameters(
    call: HttpCall, connection: str, parameters: Fields, notes: list[str]
) -> HttpCall:
    headers = dict(_values(connection, parameters.objects("HeaderParameters")))
    query = dict(_values(connection, parameters.objects("QueryStringParameters")))
    if parameters.items("BodyParameters"):
        notes.append("the connection adds fields to the body; write them into it")
    return structs.replace(
        call, headers={**call.headers, **headers}, uri=_with_query(call.uri, query)
    )


def _values(connection: str, given: Iterable[Fields]) -> Iterable[tuple[str, str]]:
    for each in given:
        key = each.required_text("Key")
        value: Json = each.get("Value")
        hides = each.flag("IsValueSecret") or not isinstance(value, str)
        yield key, environment(variable_name(connection, key)) if hides else each.text("Value")
