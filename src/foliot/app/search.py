"""Searches for jobs, collections, hosts and alerts, within the caller's scope."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from foliot.app.dashboard import part_of
from foliot.core.access import Principal
from foliot.core.model.dashboard import CountedCollection
from foliot.core.model.job import JobState
from foliot.core.model.job_search import (
    AlertName,
    FoundHost,
    FoundJob,
    JobSearch,
    SearchField,
    SearchTerm,
)
from foliot.core.model.token import Scope
from foliot.core.rules.job_search import parse_search, terms_for_hosts
from foliot.ports.store import Reading, Store


class Found(Struct, frozen=True, kw_only=True):
    """What a search finds, the first of each kind."""

    jobs: Sequence[FoundJob] = ()
    collections: Sequence[CountedCollection] = ()
    hosts: Sequence[FoundHost] = ()
    alerts: Sequence[AlertName] = ()


class Search:
    """What a caller can search for."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def jobs(
        self, who: Principal, within: Scope, search: JobSearch, *, limit: int
    ) -> Sequence[FoundJob]:
        """Return the jobs that match, by name, within a part of the caller's scope."""
        wanted = _with_state(search)
        if wanted is None:
            return []
        scope = part_of(who, within)
        return await self._store.browse(
            lambda reading: reading.search_jobs(scope, wanted, limit=limit)
        )

    async def count_jobs(self, who: Principal) -> int:
        """Return how many jobs the caller can see."""
        return await self._store.browse(lambda reading: reading.count_all_jobs(who.scope))

    async def everything(self, who: Principal, text: str, *, limit: int) -> Found:
        """Return the first jobs, collections, hosts and alerts that match a text."""
        terms = parse_search(text)
        if not terms:
            return Found()
        return await self._store.browse(lambda reading: _everything(reading, who, terms, limit))


def _everything(
    reading: Reading, who: Principal, terms: tuple[SearchTerm, ...], limit: int
) -> Found:
    jobs = _jobs(reading, who.scope, terms, limit)
    # The names of the others are one text: only a search without fields can find them.
    if any(each.field is not SearchField.ANY for each in terms):
        return Found(jobs=jobs)
    text = " ".join(each.text for each in terms_for_hosts(terms))
    return Found(
        jobs=jobs,
        collections=reading.search_collections(who.scope, search=text, limit=limit),
        hosts=reading.search_hosts(who.scope, text, limit=limit),
        alerts=reading.search_alerts(who.scope, text, limit=limit),
    )


def _jobs(
    reading: Reading, scope: Scope, terms: tuple[SearchTerm, ...], limit: int
) -> Sequence[FoundJob]:
    """Return jobs whose names begin with the search before others that match."""
    wanted = _with_state(JobSearch(terms=terms))
    if wanted is None:
        return []
    first: Sequence[FoundJob] = ()
    if len(terms) == 1 and terms[0].field in (SearchField.ANY, SearchField.NAME):
        prefix = JobSearch(prefix=terms[0].text)
        first = reading.search_jobs(scope, prefix, limit=limit)
    if len(first) == limit:
        return first
    seen = {each.position for each in first}
    others = reading.search_jobs(scope, wanted, limit=limit)
    return [*first, *(each for each in others if each.position not in seen)][:limit]


def _with_state(search: JobSearch) -> JobSearch | None:
    """Return a search whose state is that of its terms; None if no state matches them all."""
    given = [each.text for each in search.terms if each.field is SearchField.STATE]
    if not given:
        return replace(search, terms=terms_for_hosts(search.terms))
    states = [
        each
        for each in JobState
        if search.state in (None, each) and all(each.startswith(text) for text in given)
    ]
    others = (each for each in search.terms if each.field is not SearchField.STATE)
    # The states begin with different letters: at most one matches.
    return replace(search, terms=terms_for_hosts(others), state=states[0]) if states else None
