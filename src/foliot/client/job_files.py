"""Jobs in files: JSON or YAML, the whole resource or its properties alone, read and exported."""

from collections.abc import Iterator

from foliot.core.errors import Invalid, wrong
from foliot.core.json_text import Json, parse_json

JsonObject = dict[str, Json]

# What only answers have.
_ANSWERED = ("id", "type")
_SECRETS = {
    "basic": "password",
    "clientcertificate": "pfx and password",
    "activedirectoryoauth": "secret",
    "standardwebhooks": "secret",
    "sharedaccesskey": "sasKey",
}
_OF_PROPERTIES = {"action", "recurrence", "starttime", "policy", "state", "when", "sendto"}


def read_job(text: bytes) -> JsonObject:
    """Read a job; properties alone become a whole resource."""
    is_json = text.lstrip().startswith((b"{", b"\xef\xbb\xbf"))
    found = parse_json(text) if is_json else _parse_yaml(text)
    if not isinstance(found, dict):
        raise wrong((), found, "a job: an object with the name properties")
    if _OF_PROPERTIES & {name.lower() for name in found}:
        rest: JsonObject = {name: each for name, each in found.items() if name != "name"}
        return {**({"name": found["name"]} if "name" in found else {}), "properties": rest}
    return found


def _parse_yaml(text: bytes) -> Json:
    # Here, since most commands need no YAML and it takes long to load.
    from foliot.core.yaml_text import JSON_WORDS, parse_yaml  # noqa: PLC0415

    found = parse_yaml(text, JSON_WORDS)
    if len(found) > 1:
        raise Invalid((), f"the text has {len(found)} documents; give one job.")
    return found[0] if found else None


def name_of(job: JsonObject) -> str | None:
    """Return the name of a job without that of its collection, if the job has one."""
    name = job.get("name")
    return name.rpartition("/")[2] if isinstance(name, str) and name else None


def without_answered(job: JsonObject) -> JsonObject:
    """Return a job without what only answers have, and without its name: as a PUT takes it."""
    properties = job.get("properties")
    kept: JsonObject = {name: each for name, each in job.items() if name not in _ANSWERED}
    kept.pop("name", None)
    if isinstance(properties, dict):
        kept["properties"] = {n: each for n, each in properties.items() if n != "status"}
    return kept


def exported(job: JsonObject) -> JsonObject:
    """Return a job as another server would take it, with its own name."""
    return {"name": name_of(job), **without_answered(job)}


def left_out(value: Json, place: str = "properties") -> Iterator[str]:
    """Go through the places where an answer has left out a secret."""
    if not isinstance(value, dict):
        return
    authentication = value.get("authentication")
    if isinstance(authentication, dict):
        secret = _SECRETS.get(str(authentication.get("type")).lower())
        if secret is not None:
            yield f"{place}.authentication.{secret}"
    if "queueName" in value and "storageAccount" in value:
        yield f"{place}.sasToken"
    for name, each in value.items():
        yield from left_out(each, f"{place}.{name}")


def merged(base: Json, changes: Json) -> Json:
    """Return a value with changes merged into it: null removes, lists are replaced."""
    if not isinstance(changes, dict):
        return changes
    result: JsonObject = dict(base) if isinstance(base, dict) else {}
    for name, each in changes.items():
        if each is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), each)
    return result


def one_patch(first: JsonObject, second: JsonObject) -> JsonObject:
    """Return two merge patches as one; the second wins, and what it removes stays as null."""
    result: JsonObject = dict(first)
    for name, each in second.items():
        inner = result.get(name)
        if isinstance(inner, dict) and isinstance(each, dict):
            result[name] = one_patch(inner, each)
        else:
            result[name] = each
    return result
