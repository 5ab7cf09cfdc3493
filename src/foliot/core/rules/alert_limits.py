"""What an alert may say: its conditions, destinations, tags and quiet hours, and their number."""

import re
from urllib.parse import urlsplit

from foliot.core.credentials import MASK, masked_places
from foliot.core.errors import Conflict, Invalid, Path, shown, within, wrong
from foliot.core.instant import DAY, HOUR, SECOND
from foliot.core.model.action import Duration
from foliot.core.model.alert import (
    AlertConditions,
    AlertDefinition,
    AlertDestination,
    EmailDestination,
    SlackDestination,
    WebhookDestination,
)
from foliot.core.model.collection import Collection
from foliot.core.rules.changed_fields import MAX_DESCRIPTION
from foliot.core.rules.signing_secrets import signing_keys
from foliot.core.rules.tags_and_location import check_tags

MAX_ALERTS_OF_COLLECTION = 20
MAX_DESTINATIONS = 10
MAX_RECIPIENTS = 20
MAX_IN_A_ROW = 100
MAX_INTERVALS = 1000
MAX_ADDRESS_CHARACTERS = 2048
MAX_RECIPIENT_CHARACTERS = 254
RECIPIENT_PATTERN = (
    r"[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?"
)

_LATE = (SECOND, 31 * DAY, "PT1S to P31D")
_EXPIRING = (HOUR, 366 * DAY, "PT1H to P366D")
_MASKED = f"is {MASK}, which stands for a value that was hidden; send the value itself."


def check_alert(new: AlertDefinition, old: AlertDefinition | None = None) -> None:
    """Refuse an alert that breaks a rule; paths are those of its properties."""
    if new.description is not None and len(new.description) > MAX_DESCRIPTION:
        raise Invalid(
            ("description",),
            f"has {len(new.description)} characters; give at most {MAX_DESCRIPTION}.",
        )
    check_tags(new.tags or {}, (old and old.tags) or {}, ("tags",))
    with within("when"):
        _check_conditions(new.conditions)
    if len(new.destinations) > MAX_DESTINATIONS:
        count = len(new.destinations)
        raise Invalid(
            ("sendTo",), f"{count} destinations are too many; give at most {MAX_DESTINATIONS}."
        )
    for index, each in enumerate(new.destinations):
        with within("sendTo", index):
            _check_destination(each)
    _check_repeats(new.destinations)


def check_alert_count(collection: Collection, present: int) -> None:
    """Refuse one alert more than a collection may have."""
    if present >= MAX_ALERTS_OF_COLLECTION:
        raise Conflict(
            f"The collection '{collection.key.name}' has {present} alerts already, and "
            f"{MAX_ALERTS_OF_COLLECTION} are the most; delete one first."
        )


def check_can_send(
    new: AlertDefinition, old: AlertDefinition | None, *, can_send_email: bool
) -> None:
    """Refuse e-mail that nobody would get, unless the alert has such a destination already."""
    has_email = old is not None and any(map(_is_email, old.destinations))
    if can_send_email or has_email:
        return
    for index, each in enumerate(new.destinations):
        if _is_email(each):
            raise Conflict(
                f"properties.sendTo[{index}] is e-mail, and this server has no SMTP server to "
                "send it through; set FOLIOT_SMTP_HOST first, or choose a webhook."
            )


def _is_email(destination: AlertDestination) -> bool:
    return isinstance(destination, EmailDestination)


def _check_conditions(conditions: AlertConditions) -> None:
    failed, missing = conditions.failed_in_a_row, conditions.no_success_intervals
    watched = (failed, conditions.late_by, missing, conditions.expiring_within)
    if all(each is None for each in watched) and not conditions.paused:
        raise Invalid(
            (), "is empty; give at least one of failed, late, noSuccess, paused, expiring."
        )
    _check_number(failed, ("failed", "inARow"), MAX_IN_A_ROW)
    _check_number(missing, ("noSuccess", "intervals"), MAX_INTERVALS)
    _check_duration(conditions.late_by, ("late", "by"), _LATE)
    _check_duration(conditions.expiring_within, ("expiring", "within"), _EXPIRING)


def _check_number(number: int | None, path: Path, most: int) -> None:
    if number is not None and not 1 <= number <= most:
        raise wrong(path, number, f"a whole number from 1 to {most}")


def _check_duration(found: Duration | None, path: Path, limits: tuple[int, int, str]) -> None:
    least, most, expected = limits
    if found is not None and not least <= found.ticks <= most:
        raise wrong(path, found.text, f"a duration from {expected}")


def _check_destination(destination: AlertDestination) -> None:
    match destination:
        case WebhookDestination(uri=uri, secret=secret):
            _check_length(uri)
            for each in masked_places(uri):
                raise Invalid(("uri",), f"{each} {_MASKED}")
            if secret is not None:
                with within("secret"):
                    signing_keys(secret)
        case SlackDestination(uri=address):
            _check_length(address.reveal())
        case EmailDestination(to=recipients):
            _check_recipients(recipients)


def _check_length(uri: str) -> None:
    if len(uri) > MAX_ADDRESS_CHARACTERS:
        raise Invalid(
            ("uri",), f"has {len(uri)} characters; give at most {MAX_ADDRESS_CHARACTERS}."
        )


def _check_recipients(recipients: tuple[str, ...]) -> None:
    if len(recipients) > MAX_RECIPIENTS:
        count = len(recipients)
        raise Invalid(("to",), f"{count} recipients are too many; give at most {MAX_RECIPIENTS}.")
    for index, each in enumerate(recipients):
        good = re.fullmatch(RECIPIENT_PATTERN, each, re.ASCII)
        if not good or len(each) > MAX_RECIPIENT_CHARACTERS or ".." in each:
            expected = 'one e-mail address such as "oncall@example.com"'
            raise wrong(("to", index), each, expected)


def _check_repeats(destinations: tuple[AlertDestination, ...]) -> None:
    """Refuse two destinations that would get the same message at the same place."""
    seen: dict[str, int] = {}
    for index, each in enumerate(destinations):
        for place, told in places_of(each).items():
            first = seen.setdefault(place, index)
            if first != index:
                text = f"{shown(told)} is in sendTo[{first}] already; give it once."
                raise Invalid(("sendTo", index), text)


def places_of(destination: AlertDestination) -> dict[str, str]:
    """Return where messages to a destination arrive, each with how it is shown."""
    match destination:
        case WebhookDestination(uri=uri):
            return {f"webhook {uri}": uri}
        case SlackDestination(uri=address):
            return {f"slack {address.reveal()}": host_of(address.reveal())}
        case EmailDestination(to=recipients):
            return {f"email {one.lower()}": one for one in recipients}


def host_of(address: str) -> str:
    """Return the host of an address, with its port if that is given: it is no secret."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    return host if parts.port is None else f"{host}:{parts.port}"
