"""Files of jobs: documents that name a collection and describe its calendars, jobs and alerts."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from msgspec import Struct

from foliot.client.job_files import JsonObject
from foliot.core.errors import Invalid, Path, shown, wrong
from foliot.core.ids import CollectionKey, check_name
from foliot.core.json_text import Json, parse_json

Member = TypeVar("Member")

_KEY = ("subscription", "group", "name")
# What an answer of the API has beside the properties of a job, a calendar or an alert.
_OF_ANSWERS = ("id", "name", "type")
_AN_OBJECT = "an object {...}"
ATTRIBUTES = ("location", "sku", "state", "tags", "quota")
_SECTIONS = ("collection", "calendars", "jobs", "alerts")


class TextOfFile(Struct, frozen=True):
    """The content of a file, with the name that messages call it by and its directory."""

    name: str
    content: bytes
    directory: str = "."


class DeclaredJob(Struct, frozen=True, kw_only=True):
    """A job or an alert of a document: its properties as they are written there."""

    origin: str
    directory: str
    name: str
    properties: JsonObject
    kind: str = "job"


class DeclaredCollection(Struct, frozen=True, kw_only=True):
    """What files say about a collection; a section that no file has is None."""

    origin: str
    key: CollectionKey
    attributes: JsonObject
    calendars: Mapping[str, JsonObject] | None = None
    jobs: Mapping[str, DeclaredJob] | None = None
    alerts: Mapping[str, DeclaredJob] | None = None


def read_collections(files: Iterable[TextOfFile]) -> list[DeclaredCollection]:
    """Read all documents; those about one collection are joined."""
    found: dict[tuple[str, str, str], DeclaredCollection] = {}
    for file in files:
        documents = _documents(file)
        for number, document in enumerate(documents, 1):
            origin = file.name if len(documents) == 1 else f"{file.name}, document {number}"
            try:
                read = _collection(document, origin, file.directory)
                folded = read.key.folded
                found[folded] = _joined(found[folded], read) if folded in found else read
            except Invalid as refusal:
                raise Invalid((), f"{origin}: {refusal}") from None
    return list(found.values())


def _documents(file: TextOfFile) -> list[Json]:
    try:
        if file.content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
            found = parse_json(file.content)
            return found if isinstance(found, list) else [found]
        # Here, since most commands need no YAML and it takes long to load.
        from foliot.core.yaml_text import JSON_WORDS, parse_yaml  # noqa: PLC0415

        return parse_yaml(file.content, JSON_WORDS)
    except Invalid as refusal:
        raise Invalid((), f"{file.name}: {refusal}") from None


def _collection(document: Json, origin: str, directory: str) -> DeclaredCollection:
    sections = _object(document, (), "a document with collection and jobs", _SECTIONS)
    given = _object(
        sections.get("collection"),
        ("collection",),
        "an object with subscription, group and name",
        (*_KEY, *ATTRIBUTES),
    )
    key = CollectionKey(*(_text(given, name) for name in _KEY))
    return DeclaredCollection(
        origin=origin,
        key=key,
        attributes={name: each for name, each in given.items() if name not in _KEY},
        calendars=_members(sections, "calendars"),
        jobs=_declared(sections, "jobs", origin, directory),
        alerts=_declared(sections, "alerts", origin, directory),
    )


def _declared(
    sections: JsonObject, section: str, origin: str, directory: str
) -> Mapping[str, DeclaredJob] | None:
    given, kind = _members(sections, section), section.removesuffix("s")
    if given is None:
        return None
    return {
        name: DeclaredJob(origin=origin, directory=directory, name=name, properties=each, kind=kind)
        for name, each in given.items()
    }


def _members(sections: JsonObject, section: str) -> dict[str, JsonObject] | None:
    """Return the jobs, calendars or alerts of a document, by name."""
    if section not in sections:
        return None
    value = sections[section]
    given = _object({} if value is None else value, (section,), "an object of names {...}")
    found: dict[str, JsonObject] = {}
    for name, each in given.items():
        if not name or "/" in name:
            # All other names may be those of jobs from before there were rules for names.
            check_name((section, name), name)
        _refuse_twin(found, name, section)
        found[name] = _properties(_object(each, (section, name), _AN_OBJECT), (section, name))
    return found


def _properties(given: JsonObject, path: Path) -> JsonObject:
    """Return the properties of a job, calendar or alert; the API's answers have them in a level."""
    if "properties" not in given:
        return given
    beside = given.keys() - {"properties", *_OF_ANSWERS}
    if beside:
        told = ", ".join(sorted(beside))
        problem = f"is one level too many beside {told}; write what it holds directly below"
        raise Invalid((*path, "properties"), f"{problem} the name.")
    return _object(given["properties"], (*path, "properties"), _AN_OBJECT)


def _joined(first: DeclaredCollection, second: DeclaredCollection) -> DeclaredCollection:
    for name, each in second.attributes.items():
        if first.attributes.get(name, each) != each:
            problem = f"differs from that in {first.origin}; give it once."
            raise Invalid(("collection", name), problem)
    return DeclaredCollection(
        origin=f"{first.origin} and {second.origin}",
        key=first.key,
        attributes={**first.attributes, **second.attributes},
        calendars=_both(first.calendars, second.calendars, "calendars"),
        jobs=_both(first.jobs, second.jobs, "jobs"),
        alerts=_both(first.alerts, second.alerts, "alerts"),
    )


def _both(
    first: Mapping[str, Member] | None, second: Mapping[str, Member] | None, section: str
) -> Mapping[str, Member] | None:
    if first is None or second is None:
        return second if first is None else first
    for name in second:
        _refuse_twin(first, name, section)
    return {**first, **second}


def _refuse_twin(found: Iterable[str], name: str, section: str) -> None:
    if name.lower() in {each.lower() for each in found}:
        raise Invalid((section, name), "is there twice; names differ in more than letter case.")


def _object(value: Json, path: Path, expected: str, known: Iterable[str] = ()) -> JsonObject:
    if value is None and path:
        raise Invalid(path, f"is missing; give {expected}.")
    if not isinstance(value, dict):
        # The value is not shown: it may be a secret.
        raise Invalid(path, f"is not valid; give {expected}.")
    for name in value if known else ():
        if name not in {*known}:
            raise Invalid(path, f"has the name {shown(name)}; known are {', '.join(known)}.")
    return value


def _text(given: JsonObject, name: str) -> str:
    value = given.get(name)
    if value is None:
        raise Invalid(("collection", name), "is missing.")
    if not isinstance(value, str) or not value or "/" in value:
        raise wrong(("collection", name), value, "a name; in YAML a number needs quotes")
    return value
