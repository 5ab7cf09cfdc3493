"""The commands of the find dialog: what a visitor can do or open, by name."""

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import unquote

from msgspec import Struct

from foliot.core.ids import CollectionKey
from foliot.core.model.collection import Collection, CollectionState
from foliot.core.model.token import Role
from foliot.portal import urls

_HERE = re.compile(r"/collections/([^/]+)/([^/]+)/([^/]+)(?:/jobs/([^/]+))?(?:/.*)?")
_VERBS = {"pause": CollectionState.ENABLED, "resume": CollectionState.DISABLED}
_WORDS_BESIDE_ALERT = frozenset({"new", "create", "add", "of", "in"})
_SHORTEST_WORD = 3


class Command(Struct, frozen=True, kw_only=True):
    """Something to open, or to do with a POST; other words that find it are `keywords`."""

    title: str
    address: str = ""
    keywords: str = ""
    hint: str = ""
    is_post: bool = False
    changes_theme: bool = False


class PageSubject(Struct, frozen=True):
    """The collection and the job that a page is about."""

    key: CollectionKey | None = None
    job: str = ""


_PAGES = (
    Command(title="Overview", address="/", keywords="home dashboard"),
    Command(
        title="Failures of last night", address="/failures?since=last-night", keywords="failed runs"
    ),
    Command(title="Failures", address="/failures", keywords="failed errors"),
    Command(title="Runs", address="/runs", keywords="history attempts outcomes"),
    Command(title="Jobs", address="/jobs", keywords="all jobs list"),
    Command(title="Collections", address="/collections", keywords="list"),
    Command(title="Timeline", address="/timeline", keywords="calendar coming past runs week day"),
    Command(
        title="Explain a time", address="/explain", keywords="why did a job run not skipped missed"
    ),
    Command(title="Alerts", address="/alerts", keywords="incidents notifications all"),
)
_OF_OWNERS = (
    Command(title="Tokens", address="/tokens", keywords="access keys"),
    Command(title="Changes", address="/audit", keywords="audit log history who"),
)
_LAST_PAGES = (
    Command(title="Settings", address="/settings", keywords="limits plans"),
    Command(title="About", address="/about", keywords="version clock"),
    Command(title="Change theme", changes_theme=True, keywords="dark light colours"),
)
_NEW = (
    Command(title="New job", address="/jobs/new", keywords="create add"),
    Command(title="New collection", address="/collections/new", keywords="create add"),
)


def place_of(path: str) -> PageSubject:
    """Return what the page of an address is about; nothing for other addresses."""
    found = _HERE.fullmatch(path)
    if found is None:
        return PageSubject()
    subscription, group, name, job = (unquote(part or "") for part in found.groups())
    return PageSubject(CollectionKey(subscription, group, name), job)


def commands_for(
    role: Role,
    place: PageSubject,
    text: str,
    *,
    changes: Sequence[Command] = (),
    alerts: Sequence[Command] = (),
) -> list[Command]:
    """Return the commands of a role whose words contain each word of a text, and `changes`.

    `alerts` are the commands about alerts of some collections.

    Enter takes the first one: it must be harmless.
    """
    words = text.lower().split()

    def matching(offered: Iterable[Command]) -> list[Command]:
        return [each for each in offered if _has(f"{each.title} {each.keywords}", words)]

    return [
        *matching(_here(role, place)),
        *changes,
        *matching(alerts),
        *matching(_everywhere(role)),
    ]


def collection_to_change(text: str) -> tuple[CollectionState, str] | None:
    """Return which collections "pause …" or "resume …" is about: their state, and their names."""
    verb, _, rest = text.lower().strip().partition(" ")
    name = rest.strip().removeprefix("collection").strip()
    for word, state in _VERBS.items():
        if _begins(word, verb):
            return state, name
    return None


def change_of_state(collection: Collection) -> Command:
    """Return the command that pauses a collection, or resumes one that is disabled."""
    is_enabled = collection.state is CollectionState.ENABLED
    return Command(
        title=f"{'Pause' if is_enabled else 'Resume'} collection {collection.key.name}",
        address=urls.collection(collection.key, "disable" if is_enabled else "enable"),
        hint=f"{collection.key.subscription} / {collection.key.group}",
    )


def alert_commands(role: Role, key: CollectionKey) -> Iterator[Command]:
    """Yield the commands about the alerts of a collection."""
    hint = f"{key.subscription} / {key.group}"
    address = urls.collection(key, "alerts")
    yield Command(title=f"Alerts of {key.name}", address=address, hint=hint, keywords="in")
    if role is not Role.READER:
        new = urls.collection(key, "new-alert")
        words = "alerts create add of"
        yield Command(title=f"New alert in {key.name}", address=new, hint=hint, keywords=words)


def collections_of_alerts(text: str) -> str | None:
    """Return which collections "alerts …" or "new alert …" is about; None if it is about others."""
    words = text.lower().split()
    rest = [each for each in words if not _begins("alerts", each)]
    if len(rest) == len(words):
        return None
    return " ".join(each for each in rest if each not in _WORDS_BESIDE_ALERT)


def _here(role: Role, place: PageSubject) -> Iterator[Command]:
    key, job = place.key, place.job
    if key is None or role is Role.READER:
        return
    if job:
        run, edit = urls.job(key, job, "run"), urls.job(key, job, "edit")
        yield Command(title=f"Edit {job}", address=edit, keywords="change")
        yield Command(title=f"Run {job} now", address=run, is_post=True, keywords="run now start")
    new = urls.collection(key, "new")
    yield Command(title=f"New job in {key.name}", address=new, keywords="create add")


def _everywhere(role: Role) -> Sequence[Command]:
    new = () if role is Role.READER else _NEW
    return (*new, *_PAGES, *(_OF_OWNERS if role is Role.OWNER else ()), *_LAST_PAGES)


def _begins(word: str, typed: str) -> bool:
    return len(typed) >= _SHORTEST_WORD and word.startswith(typed)


def _has(text: str, words: Iterable[str]) -> bool:
    folded = text.lower()
    return all(word in folded for word in words)
