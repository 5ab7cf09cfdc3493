"""Files of jobs against a server: the values of their placeholders, and what the server stores."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from foliot.client.calls import FoliotClient
from foliot.client.connection import Connection, ServerAddress
from foliot.client.paths import key_in
from foliot.core.secret import Secret
from foliot.core.yaml_text import JSON_WORDS, parse_yaml
from tests.support.commands import Place

PLACEHOLDER = re.compile(r"\$\{(env|file):([^${}]+)\}")
ADDRESS = re.compile(r"uri: \$\{env:([^}]+)\}")
# Valid wherever a secret may be, also as a signing key.
SECRET = f"whsec_{'A' * 32}"


class Collected(NamedTuple):
    """What a server answers about collections, by their ids, without what time changes."""

    collections: dict[str, Any]
    jobs: dict[str, Any]
    calendars: dict[str, Any]
    alerts: dict[str, Any]


def answered(place: Place, subscription: str) -> Collected:
    """Return what the server has of a subscription."""
    client = client_of(place)
    found = [each for each in client.collections() if _is_in(each, subscription)]
    keys = [key_in(str(each["id"])) for each in found]
    jobs = [job for key in keys for job in client.jobs(key)]
    calendars = [each for key in keys for each in client.calendars(key)]
    alerts = [each for key in keys for each in client.alerts(key)]
    client.close()
    return Collected(*map(_by_id, (found, jobs, calendars, alerts)))


def client_of(place: Place) -> FoliotClient:
    """Return a client of the server that commands in this place talk to."""
    token = Secret(place.environ["FOLIOT_TOKEN"])
    return FoliotClient(Connection(ServerAddress(place.environ["FOLIOT_SERVER"], token)))


def _is_in(resource: Any, subscription: str) -> bool:
    return str(resource["id"]).startswith(f"/subscriptions/{subscription}/")


def _by_id(resources: list[Any]) -> dict[str, Any]:
    for each in resources:
        each["properties"].pop("status", None)
    return {each["id"]: each for each in resources}


def documents_in(text: str) -> list[Any]:
    found: list[Any] = parse_yaml(text.encode(), JSON_WORDS)
    return found


def sample_values(text: str, pfx: str) -> dict[str, str]:
    """Return a value for each variable that a file of jobs names."""
    names = {match[2] for match in PLACEHOLDER.finditer(text) if match[1] == "env"}
    samples = {name: pfx if name.endswith("_PFX") else SECRET for name in names}
    addresses = dict.fromkeys(ADDRESS.findall(text), "https://placeholder.example")
    return samples | addresses


def values_on_server(documents: list[Any], jobs: Mapping[str, Any], pfx: str) -> dict[str, str]:
    """Return the values of variables as the server has them, and a sample for what it hides."""
    found: dict[str, str] = {}
    for document in documents:
        for name, properties in document["jobs"].items():
            group = document["collection"]["group"]
            ending = f"/jobCollections/{document['collection']['name']}/jobs/{name}"
            (job,) = [
                each
                for path, each in jobs.items()
                if path.endswith(ending) and f"/resourceGroups/{group}/" in path
            ]
            for path, text in _texts(properties):
                found |= _values(text, _at(job["properties"], path), pfx)
    return found


def _values(text: str, stored: Any, pfx: str) -> dict[str, str]:
    names = [match[2] for match in PLACEHOLDER.finditer(text)]
    if not isinstance(stored, str):
        return {name: pfx if name.endswith("_PFX") else SECRET for name in names}
    parts = [re.escape(each.replace("$${", "${")) for each in PLACEHOLDER.split(text)[::3]]
    match = re.fullmatch("(.*)".join(parts), stored, re.DOTALL)
    assert match, (text, stored)
    return dict(zip(names, match.groups(), strict=True))


def _texts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list):
        pairs: Any = value.items() if isinstance(value, dict) else enumerate(value)
        for name, each in pairs:
            yield from _texts(each, (*path, name))


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for name in path:
        if isinstance(value, dict):
            value = value.get(name)
        elif isinstance(value, list):
            value = value[name]
    return value
