"""JSON objects as tables of fields: a table says how to read, write and describe an object.

Decoders, encoders, the OpenAPI document and the labels of the portal's forms all use the tables, so
that a field is described once.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from foliot.api.wire.clients import WireClient
from foliot.api.wire.json_reader import Properties, required, required_object
from foliot.core.errors import Invalid
from foliot.core.json_text import Json

Schema = dict[str, Any]
Made = TypeVar("Made")

# What clients send in an old place, and what only they send.
_NEVER_WRITTEN = {"deprecated", "writeOnly"}


class FieldType(NamedTuple):
    """What a value may be: how to read it where it is given, how to write it, its JSON Schema.

    Without `decode` the value comes only from us, and clients may send it back. Without `encode`
    the value is written as it is. A value that is encoded as None is left out: a secret always is.
    """

    decode: Callable[[Properties, str], Any] | None
    schema: Schema
    encode: Callable[[Any, WireClient], Json] | None = None
    expected: str = "a value"
    absent: object = None
    fields: "tuple[WireField, ...]" = ()


class WireField(NamedTuple):
    """A property of an object: its name on the wire, the attribute that holds it, its type.

    The title is the label of the field in forms. `old_name` is another name that requests may use,
    `also_answered_as` the spelling in answers to some clients.
    """

    name: str
    attribute: str
    type: FieldType
    title: str = ""
    required: bool = False
    old_name: str = ""
    also_answered_as: str = ""


class WireObject(Generic[Made]):
    """A JSON object and the value it stands for.

    Fields are read in the order of the table and written in the order of `answer`, if given. An
    object with a `component` name has a schema of its own in the OpenAPI document, and `keywords`
    are more of its JSON Schema. `checks_itself`: the value has rules of its own, and unknown names
    are refused before these apply.
    """

    def __init__(
        self,
        make: Callable[..., Made],
        *fields: WireField,
        answer: Sequence[str] = (),
        component: str = "",
        keywords: Schema | None = None,
        checks_itself: bool = False,
    ) -> None:
        self.make = make
        self.fields = fields
        self.component = component
        self._keywords = keywords or {}
        self.old_names = {each.old_name: each.name.lower() for each in fields if each.old_name}
        self._checks_itself = checks_itself
        self._ignored = tuple(each.name for each in fields if _is_ignored(each.type))
        self._read = tuple(each for each in fields if each.attribute and each.type.decode)
        by_name = {each.name: each for each in fields}
        self._written = tuple(
            (each.name, each.attribute, each.type.encode)
            for each in map(by_name.__getitem__, answer or by_name)
            if not _NEVER_WRITTEN & each.type.schema.keys()
        )

    def decode(self, given: Properties) -> Made:
        """Read the object."""
        if self._ignored:
            given.ignore(*self._ignored)
        values = {field.attribute: read_field(given, field) for field in self._read}
        if self._checks_itself:
            given.refuse_unknown()
        try:
            return self.make(**values)
        except Invalid as refusal:
            raise Invalid((*given.path, *refusal.path), refusal.problem) from None

    def encode(self, value: object, client: WireClient, **computed: Json) -> dict[str, Json]:
        """Write the object, without secrets and absent values; some values may be computed."""
        answer: dict[str, Json] = {}
        for name, attribute, encode in self._written:
            if computed and name in computed:
                found = computed[name]
            elif not attribute or (found := getattr(value, attribute)) is None:
                continue
            elif encode is not None:
                found = encode(found, client)
            if found is not None:
                answer[name] = found
        return answer

    def type(self, **more: Any) -> FieldType:
        """Return the type of a field that holds such an object."""

        def decode(given: Properties, name: str) -> Made:
            return self.decode(required_object(given, name, self.old_names))

        return FieldType(
            decode,
            reference(self.component) if self.component else self.schema(**more),
            encode=self.encode,
            expected="an object {...}",
            fields=self.fields,
        )

    def schema(self, **more: Any) -> Schema:
        """Return the JSON Schema: names that are not in the table are refused."""
        return {
            "type": "object",
            "properties": dict(_property_schemas(self.fields)),
            "required": [each.name for each in self.fields if each.required],
            "additionalProperties": False,
            **self._keywords,
            **more,
        }


def read_field(given: Properties, field: WireField) -> Any:
    """Read the value of a field, or refuse the object if it must have one."""
    if given.get(field.name) is not None:
        return field.type.decode and field.type.decode(given, field.name)
    if field.required:
        required(given, field.name, field.type.expected)
    return field.type.absent


def reference(component: str) -> Schema:
    """Return a reference to a schema of the OpenAPI document."""
    return {"$ref": f"#/components/schemas/{component}"}


def titles(fields: Sequence[WireField], path: str = "") -> Iterator[tuple[str, str]]:
    """Go through the fields that have a title, here and in the objects inside, by their path."""
    for field in fields:
        if field.title:
            yield path + field.name, field.title
        yield from titles(field.type.fields, f"{path}{field.name}.")


def _is_ignored(kind: FieldType) -> bool:
    return kind.decode is None or "readOnly" in kind.schema


def _property_schemas(fields: Sequence[WireField]) -> Iterator[tuple[str, Schema]]:
    for field in fields:
        schema = {"title": field.title, **field.type.schema} if field.title else field.type.schema
        yield field.name, schema
        if field.old_name:
            yield field.old_name, {**schema, "deprecated": True}
        if field.also_answered_as:
            yield field.also_answered_as, schema
