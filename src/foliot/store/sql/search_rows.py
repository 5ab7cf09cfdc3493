"""What a job is searched by to a row, and the terms of a search to patterns."""

from collections.abc import Sequence
from typing import Final

from foliot.core.ids import CollectionId, JobId
from foliot.core.model.job_search import SearchTerm, SearchWords
from foliot.core.rules.job_search import parts_of
from foliot.store.sql.columns import SEARCH_SLOTS
from foliot.store.sql.dialect import Parameters

_UNUSED: Final = ("", "")


def row_of_words(job_id: JobId, collection_id: CollectionId, words: SearchWords) -> Parameters:
    """Return the columns of what a job is searched by."""
    return {
        "job_id": job_id,
        "collection_id": collection_id,
        "folded_name": words.name,
        "host": words.host,
        "words": words.words,
    }


def term_parameters(terms: Sequence[SearchTerm]) -> Parameters:
    """Return the field and the pattern of each term, empty where a search has fewer terms.

    A long term comes first: few jobs match it, and the others are compared with these alone.
    """
    by_length = sorted(terms, key=lambda each: -len(each.text))
    used = [(each.field.value, containing(*parts_of(each))) for each in by_length]
    unused = [_UNUSED] * (len(SEARCH_SLOTS) - len(used))
    parameters: dict[str, object] = {}
    for letter, (field, pattern) in zip(SEARCH_SLOTS, (*used, *unused), strict=True):
        parameters |= {f"field_{letter}": field, f"pattern_{letter}": pattern}
    return parameters


def containing(*parts: str) -> str:
    """Return the LIKE pattern of texts that contain these parts, their special characters escaped.

    The parts are in this order, with anything between them.
    """
    return "%".join(("", *map(_escaped, parts), ""))


def _escaped(text: str) -> str:
    folded = text.lower()
    for special in ("\\", "%", "_"):
        folded = folded.replace(special, f"\\{special}")
    return folded
