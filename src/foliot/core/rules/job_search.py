"""Reads what a user searches for, and decides which jobs match.

A search is a list of words and quoted phrases; a job matches if it contains each of them. A prefix
limits a term to one field: `tag:nightly host:api.example.com`. All jobs are searched by what may be
stored in clear: name, host, type, tags, schedule. A path or a query may be a secret, so that only
the jobs of one collection, whose definitions are open, are searched by the rest as well.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import urlsplit

from foliot.core.credentials import masked_action
from foliot.core.errors import Invalid
from foliot.core.model.action import Action, HttpRequest, QueueMessage, ServiceBusMessage
from foliot.core.model.job import Definition, Job
from foliot.core.model.job_search import SearchField, SearchTerm, SearchWords
from foliot.core.recurrence import sentence
from foliot.core.rules.lifecycle import timetable_of

MAX_TERMS: Final = 6
MAX_CHARACTERS: Final = 200

# A cron expression may be long.
_MAX_SCHEDULE: Final = 500
_TOKEN: Final = re.compile(r'[^\s"]*"[^"]*"?|\S+')
_FIELDS: Final = {each.value: each for each in SearchField if each is not SearchField.ANY}

# A host with a port, or a host with a dot, each perhaps with a path. A time such as 12:30 is none.
_NAME_WITH_LETTER, _NAME_WITH_DOT = r"[\w-]*[a-z][\w-]*", r"[\w-]+(?:\.[\w-]+)+"
_HOST_AND_REST: Final = re.compile(
    rf"(?:({_NAME_WITH_LETTER}|{_NAME_WITH_DOT})(?::\d{{2,5}})|({_NAME_WITH_DOT})"
    r"|\[([0-9a-f:.]+)\](?::\d{1,5})?)(?:/.*)?"
)
# Of the host of a queue, the words of a job have the first name: the account or the namespace.
_QUEUE_HOST: Final = re.compile(r"([\w-]+)\.(?:servicebus|queue\.core)\.[\w.-]+")

# These begin a type, a tag and the schedule in the words of a job. They are white space, which no
# cleaned text contains. The schedule comes last, so that whatever follows its mark is the schedule.
_TYPE, _TAG, _SCHEDULE = "\x1c", "\x1d", "\x1e"


def parse_search(text: str) -> tuple[SearchTerm, ...]:
    """Read the terms of a search; a prefix without a word is no term yet."""
    if len(text) > MAX_CHARACTERS:
        raise Invalid(("q",), f"has {len(text):,} characters; search for at most {MAX_CHARACTERS}.")
    terms = tuple(filter(None, map(_term, _TOKEN.findall(text))))
    if len(terms) > MAX_TERMS:
        raise Invalid(("q",), f"has {len(terms)} words; search for at most {MAX_TERMS}.")
    return terms


def search_words(job: Job) -> SearchWords:
    """Return what a job is searched by wherever definitions stay closed."""
    definition, name = job.definition, job.name.lower()
    main, *others = _actions(definition.action)
    host = _host(main)
    marked = (
        *("\n" + _host(each) for each in others),
        *(_TYPE + each.kind.lower() for each in (main, *others)),
        *(_TAG + each for each in _tags(definition)),
        _SCHEDULE + _cleaned(sentence(timetable_of(job)))[:_MAX_SCHEDULE],
    )
    return SearchWords(name, host, f"{name}\n{host}{''.join(marked)}")


def name_alone(name: str) -> SearchWords:
    """Return what a job is searched by whose definition cannot be read."""
    return SearchWords(name.lower(), "", name.lower())


def parts_of(term: SearchTerm) -> tuple[str, ...]:
    """Return the texts that must follow each other, with anything between, where a term looks."""
    match term.field:
        case SearchField.TYPE:
            return (_TYPE + term.text,)
        case SearchField.TAG:
            return (_TAG + term.text,)
        case SearchField.SCHEDULE:
            return (_SCHEDULE, term.text)
        case _:
            return (term.text,)


def terms_for_hosts(terms: Iterable[SearchTerm]) -> tuple[SearchTerm, ...]:
    """Return terms that match without paths: of an address, the host that is stored."""
    return tuple(map(_for_hosts, terms))


def matches(job: Job, terms: Iterable[SearchTerm]) -> bool:
    """Tell whether a job, whose definition is open, matches all terms."""
    words = search_words(job)
    text = f"{words.words}\n{_open_text(job.definition)}"
    return all(_matches(job, words, text, each) for each in terms)


def _matches(job: Job, words: SearchWords, text: str, term: SearchTerm) -> bool:
    match term.field:
        case SearchField.STATE:
            return job.state.startswith(term.text)
        case SearchField.NAME:
            return term.text in words.name
        case SearchField.HOST:
            return _stored_host(term.text) in words.host
        case SearchField.ANY:
            return term.text in text or _queue_name(term.text) in words.words
        case SearchField.TYPE | SearchField.TAG | SearchField.SCHEDULE:
            return _contains(words.words, parts_of(term))


def _contains(text: str, parts: Iterable[str]) -> bool:
    start = 0
    for part in parts:
        start = text.find(part, start)
        if start < 0:
            return False
        start += len(part)
    return True


def _term(token: str) -> SearchTerm | None:
    prefix, mark, rest = token.partition(":")
    field = _FIELDS.get(prefix.lower()) if mark else None
    text = _cleaned((token if field is None else rest).strip('"'))
    return SearchTerm(field or SearchField.ANY, text) if text else None


def _for_hosts(term: SearchTerm) -> SearchTerm:
    if term.field not in (SearchField.ANY, SearchField.HOST):
        return term
    is_address = "://" in term.text and bool(_host_of(term.text))
    # What has no scheme may be something else as well, such as a tag.
    return SearchTerm(SearchField.HOST if is_address else term.field, _stored_host(term.text))


def _stored_host(text: str) -> str:
    """Return the host as the words of a job have it, or the text if it is no address."""
    if "://" in text:
        return _queue_name(_host_of(text) or text)
    found = _HOST_AND_REST.fullmatch(text)
    return _queue_name(next(filter(None, found.groups())) if found else text)


def _queue_name(host: str) -> str:
    """Return the account or namespace of the host of a queue, and any other text as it is."""
    found = _QUEUE_HOST.fullmatch(host)
    return found[1] if found else host


def _actions(action: Action) -> Iterator[Action]:
    yield action
    if action.error_action is not None:
        yield from _actions(action.error_action)


def _host(action: Action) -> str:
    match action.part:
        case HttpRequest(uri=uri):
            return _host_of(uri)
        case QueueMessage(storage_account=account):
            return _cleaned(account)
        case ServiceBusMessage(namespace=namespace):
            return _cleaned(namespace)


def _host_of(uri: str) -> str:
    try:
        return _cleaned(urlsplit(uri).hostname or "")
    except ValueError:
        return ""


def _tags(definition: Definition) -> Iterator[str]:
    for name, value in (definition.tags or {}).items():
        yield _cleaned(f"{name}={value}" if value else name)


def _open_text(definition: Definition) -> str:
    """Return what pages show of a definition: addresses without credentials, the description."""
    texts = [definition.description or ""]
    for action in _actions(masked_action(definition.action)):
        match action.part:
            case HttpRequest(uri=uri):
                texts.append(uri)
            case QueueMessage(storage_account=account, queue_name=queue):
                texts += [account, queue]
            case ServiceBusMessage(namespace=namespace, entity=entity):
                texts += [namespace, entity]
    return "\n".join(map(_cleaned, texts))


def _cleaned(text: str) -> str:
    """Return a text in lower case, with a space for all white space."""
    return " ".join(text.lower().split())
