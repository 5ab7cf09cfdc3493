"""No word of Azure's API in `core`: the names of the wire belong to `api/wire`."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import foliot.core
from foliot.api.wire.collection import COLLECTION
from foliot.api.wire.fields import WireField
from foliot.api.wire.job import HISTORY_ENTRY, JOB

CORE = Path(next(iter(foliot.core.__path__)))
WORDS = {
    *("Azure", "Microsoft", "ARM", "jobCollections", "jobcollections", "resourceGroups"),
    *("api-version", "nextLink", "subscriptions/", "providers/", "x-ms-"),
}

# A refusal names the field that a client wrote, and a core value knows best which of its fields is
# wrong: in the path of a refusal, or in the message about a limit, a name of the wire may stand.
NAMES_IN_REFUSALS = {
    "recurrence/acceptance.py": {"startTime", "endTime"},
    "recurrence/rule.py": {"weekDays", "monthDays", "monthlyOccurrences", "timeZone"},
    "recurrence/zone.py": {"timeZone"},
    "rules/changed_fields.py": {"errorAction", "clientId"},
    "rules/kept_secrets.py": {"errorAction", "sasToken", "sasKey"},
    "rules/lifecycle.py": {"endTime"},
    "rules/policy_limits.py": {"startWithin"},
    "rules/queue_message_text.py": {"errorAction", "queueMessage"},
    "rules/quota.py": {
        *("maxJobCount", "maxJobOccurrence", "maxRecurrence"),
        *("retryInterval", "maxRetryInterval"),
    },
}
# Addresses of Azure Functions carry a credential: a fact about targets, not about our API.
# What started a run is stored and shown by the same word.
OTHER_WORDS = {"credentials.py": {"Azure"}, "model/run.py": {"catchUp"}}


def names(fields: Sequence[WireField]) -> Iterator[str]:
    """Go through the names that only the wire writes so: with a capital inside."""
    for field in fields:
        if field.name != field.name.lower():
            yield field.name
        yield from names(field.type.fields)


def words_in(file: Path) -> set[str]:
    text = file.read_text("utf-8")
    wire = {
        *WORDS,
        *(each for shape in (JOB, COLLECTION, HISTORY_ENTRY) for each in names(shape.fields)),
    }
    return {word for word in wire if re.search(rf"(?<![A-Za-z]){re.escape(word)}(?![a-z])", text)}


def test_core_has_no_word_of_the_api_but_the_names_in_refusals() -> None:
    found = {
        str(file.relative_to(CORE)): words
        for file in CORE.rglob("*.py")
        if (words := words_in(file))
    }

    assert found == NAMES_IN_REFUSALS | OTHER_WORDS
