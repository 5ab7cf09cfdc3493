"""Which values of a deployment's parameters and outputs are shown, and to whom.

Old templates often declare a password as an ordinary string. The evaluation hides what depends on a
secure parameter; here the secrets and credentials of the template's jobs are hidden, whatever a
template declares.
"""

import json
from collections.abc import Iterator, Mapping

from msgspec import Struct

from foliot.core.credentials import MASK, credentials_of, is_credential_header, masked_uri
from foliot.core.json_text import Json
from foliot.core.model.action import HttpRequest
from foliot.core.secret import Secret

_VALUE = "value"
# A shorter text is in many secrets by chance.
_SHORTEST_PART = 4
# How many characters are searched at most: a second or so.
MAX_SEARCHED = 200_000_000


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


def _parts(shown: Json) -> Iterator[str]:
    """Go through the strings and numbers of a shown value that may be a part of a secret."""
    value = shown.get(_VALUE) if isinstance(shown, dict) else shown
    return (each for each in _texts(value) if len(each) >= _SHORTEST_PART)


def _texts(value: Json) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from _texts(each)
        case dict():
            for each in value.values():
                yield from _texts(each)
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
