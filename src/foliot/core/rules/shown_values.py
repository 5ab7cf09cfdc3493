"""Which values of a deployment's parameters and outputs are shown, and to whom.

Old templates often declare a password as an ordinary string. The evaluation hides what depends on a
secure parameter; here the secrets and credentials of the template's jobs are hidden, whatever a
template declares.
"""

import json
import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from foliot.core.credentials import MASK, credentials_of, is_credential_header, masked_uri
from foliot.core.errors import (
    CollectionNotFound,
    Conflict,
    FoliotError,
    Invalid,
    Path,
    RefusedInTemplate,
)
from foliot.core.json_text import Json
from foliot.core.model.action import HttpRequest
from foliot.core.secret import Secret

_VALUE = "value"
# A shorter text is in many secrets by chance.
_SHORTEST_PART = 4
# How many characters are searched at most: a second or so.
MAX_SEARCHED = 200_000_000
_NOT_SHOWN = "a value that is not shown"
# A message ends a long value so; it may have a part of a secret.
_CUT_VALUE = re.compile(r'["{\[].*\.\.\. \(\d+ characters\)', re.DOTALL)


def secrets_in(value: object) -> Iterator[str]:
    """Go through the secrets and credentials in a definition, without empty ones."""
    if isinstance(value, HttpRequest):
        yield from credentials_of(value)
    match value:
        case Secret() if value.reveal():
            yield value.reveal()
        case Struct():
            for name in value.__struct_fields__:
                yield from secrets_in(getattr(value, name))
        case _:
            pass


def without_secrets(values: Mapping[str, Json], secrets: frozenset[str]) -> dict[str, Json]:
    """Leave out each value that contains a secret or a part of one; its name and type stay.

    All values are left out if there are too many to search.
    """
    # All of a value is searched as one text: many strings in turn would take long.
    spellings = [_written(secret)[1:-1] for secret in secrets]
    all_secrets = "\n".join(secrets)
    texts = {name: _written(shown) for name, shown in values.items()}
    parts = {name: set(_parts(shown)) for name, shown in values.items()}
    searched = sum(map(len, texts.values())) * len(spellings)
    searched += sum(map(len, parts.values())) * len(all_secrets)

    def is_hidden(name: str) -> bool:
        return (
            searched > MAX_SEARCHED
            or any(each in texts[name] for each in spellings)
            or any(each in all_secrets for each in parts[name])
        )

    return {
        name: _without_value(shown) if is_hidden(name) else shown for name, shown in values.items()
    }


def refusal_without_secrets(refusal: FoliotError, secrets: frozenset[str]) -> FoliotError:
    """Return a refusal whose message and path show none of the secrets, in any letter case."""

    def cleaned(text: str) -> str:
        return _text_without_secrets(text, secrets)

    def cleaned_path(path: Path) -> Path:
        return tuple(cleaned(each) if isinstance(each, str) else each for each in path)

    match refusal:
        case _ if not secrets:
            return refusal
        case Invalid():
            return Invalid(cleaned_path(refusal.path), cleaned(refusal.problem))
        case RefusedInTemplate():
            cause = refusal_without_secrets(refusal.refusal, secrets)
            return RefusedInTemplate(cleaned_path(refusal.path), cause)
        case CollectionNotFound():
            return CollectionNotFound(cleaned(refusal.name), cleaned(refusal.group))
        case Conflict():
            return Conflict(cleaned(str(refusal)))
        case _:
            return refusal


def _text_without_secrets(text: str, secrets: frozenset[str]) -> str:
    text = _CUT_VALUE.sub(_NOT_SHOWN, text)
    folded = text.lower()
    spellings = {
        spelling
        for secret in secrets
        for spelling in (secret, secret.strip(), json.dumps(secret)[1:-1])
        if spelling.lower() in folded
    }
    for spelling in sorted(filter(None, spellings), key=len, reverse=True):
        pattern = re.escape(spelling)
        if len(spelling) < _SHORTEST_PART:
            pattern = f"(?<=[\"']){pattern}(?=[\"'])"
        text = re.sub(pattern, _NOT_SHOWN, text, flags=re.IGNORECASE)
    return text


def _parts(shown: Json) -> Iterator[str]:
    """Go through the strings and numbers of a shown value that may be a part of a secret."""
    value = shown.get(_VALUE) if isinstance(shown, dict) else shown
    return (each for each in texts_in(value) if len(each) >= _SHORTEST_PART)


def texts_in(value: Json) -> Iterator[str]:
    """Go through the strings and numbers in a JSON value."""
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from texts_in(each)
        case dict():
            for each in value.values():
                yield from texts_in(each)
        case int() | float() if not isinstance(value, bool):
            yield str(value)
        case _:
            pass


def masked_values(values: Mapping[str, Json]) -> dict[str, Json]:
    """Return values as a caller sees them who may not change jobs: without credentials."""
    return {
        name: _without_value(shown) if is_credential_header(name) else _masked(shown)
        for name, shown in values.items()
    }


def _written(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _masked(value: Json) -> Json:
    match value:
        case str():
            return masked_uri(value)
        case list():
            return [_masked(each) for each in value]
        case dict():
            return {
                name: MASK if is_credential_header(name) else _masked(each)
                for name, each in value.items()
            }
        case _:
            return value


def _without_value(shown: Json) -> Json:
    if not isinstance(shown, dict):
        return None
    return {name: each for name, each in shown.items() if name != _VALUE}
