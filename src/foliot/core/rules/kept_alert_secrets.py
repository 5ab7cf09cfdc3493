"""Keeps secrets of an alert that an update leaves out, if they still go to the same place.

Otherwise a caller who may edit an alert could send its secrets to a server of their own. A Slack
address is a secret as a whole: answers show only its host, by which a client refers to it.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct, structs

from foliot.core.errors import Invalid, Path, shown
from foliot.core.model.alert import (
    AlertDestination,
    SlackDestination,
    WebhookDestination,
)
from foliot.core.rules.alert_limits import host_of
from foliot.core.target_origin import origin_of_uri

_AGAIN = "send the secret again"


class GivenWebhook(Struct, frozen=True):
    """A webhook as a client sent it; `forgets` if it says that there is no secret."""

    destination: WebhookDestination
    forgets: bool = False


class KeptSlack(Struct, frozen=True):
    """A Slack destination whose address the client left out; it may say its host, in lower case."""

    host: str | None = None


GivenDestination = AlertDestination | GivenWebhook | KeptSlack


def keep_alert_secrets(
    given: Sequence[GivenDestination], old: Sequence[AlertDestination]
) -> tuple[AlertDestination, ...]:
    """Return destinations as they are to be stored; paths begin with their number."""
    webhooks, slack = _KeptWebhooks(given, old), _KeptSlackAddresses(given, old)
    return tuple(_destinations(given, webhooks.complete, slack.complete))


def _destinations(
    given: Sequence[GivenDestination],
    webhook: Callable[[GivenWebhook, Path], WebhookDestination],
    slack: Callable[[KeptSlack, Path], SlackDestination],
) -> Iterator[AlertDestination]:
    for index, each in enumerate(given):
        match each:
            case GivenWebhook():
                yield webhook(each, (index, "secret"))
            case KeptSlack():
                yield slack(each, (index, "uri"))
            case _:
                yield each


class _KeptWebhooks:
    """The stored webhooks with a secret: which of them a webhook without one means."""

    def __init__(self, given: Sequence[GivenDestination], old: Sequence[AlertDestination]) -> None:
        stored = [each for each in old if isinstance(each, WebhookDestination) and each.secret]
        addresses = {each.destination.uri for each in given if isinstance(each, GivenWebhook)}
        self._same = {each.uri: each for each in stored}
        self._left = [each for each in stored if each.uri not in addresses]

    def complete(self, given: GivenWebhook, path: Path) -> WebhookDestination:
        new = given.destination
        if new.secret is not None or given.forgets:
            return new
        found = self._same.get(new.uri) or self._moved(new.uri, path)
        return new if found is None else structs.replace(new, secret=found.secret)

    def _moved(self, uri: str, path: Path) -> WebhookDestination | None:
        """Return the webhook that has another path of the same server now."""
        origin = origin_of_uri(uri)
        near = [each for each in self._left if origin_of_uri(each.uri) == origin]
        if len({each.secret for each in near}) == 1:
            return near[0]
        if self._left:
            why = "it is not clear which is meant" if near else "scheme, host or port has changed"
            raise Invalid(path, f"is left out, but {why}: {_AGAIN}, or null for none.")
        return None


class _KeptSlackAddresses:
    """The stored Slack addresses: which of them is meant by one that is left out."""

    def __init__(self, given: Sequence[GivenDestination], old: Sequence[AlertDestination]) -> None:
        sent = {each.uri for each in given if isinstance(each, SlackDestination)}
        self._stored = [
            each for each in old if isinstance(each, SlackDestination) and each.uri not in sent
        ]
        self._asked = [each for each in given if isinstance(each, KeptSlack)]
        self._taken: list[SlackDestination] = []

    def complete(self, given: KeptSlack, path: Path) -> SlackDestination:
        stored = [each for each in self._stored if _is_at(each, given.host)]
        asked = [each for each in self._asked if each.host == given.host]
        if not stored:
            raise Invalid(path, _missing(given.host))
        free = [each for each in stored if each not in self._taken]
        # Several at one host are told apart by their order, so none may have gone.
        if len(stored) != len(asked) or not free:
            where = "" if given.host is None else f" at {shown(given.host)}"
            count = len(stored)
            raise Invalid(
                path,
                f"is left out, but the alert has {count} of type slack{where}, and it is not "
                f"clear which is meant: {_AGAIN}.",
            )
        self._taken.append(free[0])
        return free[0]


def _is_at(destination: SlackDestination, host: str | None) -> bool:
    return host is None or host_of(destination.uri.reveal()).lower() == host


def _missing(host: str | None) -> str:
    if host is None:
        return 'is missing; give an address such as "https://hooks.slack.com/services/...".'
    return f"is left out, and the alert has no address at {shown(host)}: {_AGAIN}."
