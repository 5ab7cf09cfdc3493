"""Which values of a deployment's parameters and outputs are shown, and to whom.

Old templates often declare a password as an ordinary string. The evaluation hides what depends on a
secure parameter; here the secrets of the template's jobs are hidden, whatever a template declares.
"""

import json
from collections.abc import Iterator, Mapping

from msgspec import Struct

from foliot.core.credentials import is_credential_header, masked_uri
from foliot.core.json_text import Json
from foliot.core.secret import Secret

_VALUE = "value"


def secrets_in(value: object) -> Iterator[str]:
    """Go through the secrets in a definition, without empty ones."""
    match value:
        case Secret() if value.reveal():
            yield value.reveal()
        case Struct():
            for name in value.__struct_fields__:
                yield from secrets_in(getattr(value, name))
        case _:
            pass


def without_secrets(values: Mapping[str, Json], secrets: frozenset[str]) -> dict[str, Json]:
    """Leave out each value that contains a secret; its name and its type stay."""
    # All of a value is searched as one text: many strings in turn would take long.
    spellings = [_written(secret)[1:-1] for secret in secrets]
    texts = {name: _written(shown) for name, shown in values.items()}
    return {
        name: _without_value(shown) if any(each in texts[name] for each in spellings) else shown
        for name, shown in values.items()
    }


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
            return {name: _masked(each) for name, each in value.items()}
        case _:
            return value


def _without_value(shown: Json) -> Json:
    if not isinstance(shown, dict):
        return None
    return {name: each for name, each in shown.items() if name != _VALUE}
