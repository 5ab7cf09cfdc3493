"""Writes the messages of incidents, summaries and tests."""

from collections.abc import Sequence

from msgspec import Struct

from foliot.core.ids import CollectionKey
from foliot.core.instant import Instant, format_instant, to_the_second
from foliot.core.model.alert import Alert, AlertEvent
from foliot.core.model.incident import AlertFacts, Incident
from foliot.core.model.notification import AlertMessage, NotificationKind
from foliot.core.plurals import how_many


class Subject(Struct, frozen=True):
    """The alert, the collection and the job that a message is about."""

    alert: Alert
    collection: CollectionKey
    job: str

    @property
    def text(self) -> str:
        """The job in words."""
        return f"Job '{self.job}' of the collection '{self.collection.name}'"


def raised_message(subject: Subject, incident: Incident) -> AlertMessage:
    """Return what is told when an incident opens."""
    return AlertMessage(
        kind=NotificationKind.RAISED,
        at=incident.opened_at,
        collection=subject.collection,
        alert=subject.alert.name,
        job=subject.job,
        sentence=f"{subject.text} {_what_happened(incident.event, incident.facts)}.",
        event=incident.event,
        facts=incident.facts,
    )


def resolved_message(
    subject: Subject, incident: Incident, now: Instant, *, is_untold: bool
) -> AlertMessage:
    """Return what is told when an incident is resolved; `is_untold`: nobody was told before."""
    recovery = _recovery(incident.event)
    begin = _told(incident.opened_at)
    sentence = (
        f"{subject.text} {_what_happened(incident.event, incident.facts)}, at {begin}."
        f" Meanwhile it {recovery}."
        if is_untold
        else f"{subject.text} {recovery}. The incident began at {begin}."
    )
    return AlertMessage(
        kind=NotificationKind.RESOLVED,
        at=now,
        collection=subject.collection,
        alert=subject.alert.name,
        job=subject.job,
        sentence=sentence,
        event=incident.event,
        facts=incident.facts | {"opened": begin, "resolved": _told(now)},
    )


def summary_message(subject: Subject, incidents: Sequence[Incident], now: Instant) -> AlertMessage:
    """Return what is told about incidents that were held back."""
    count, still = len(incidents), [each for each in incidents if each.closed_at is None]
    events = sorted({each.event.value for each in incidents})
    more = how_many(count, "more incident")
    state = f"{len(still)} still open" if still else "all of them over"
    first = _told(incidents[0].opened_at)
    sentence = f"{subject.text} had {more} ({', '.join(events)}) since {first}, {state}."
    return AlertMessage(
        kind=NotificationKind.SUMMARY,
        at=now,
        collection=subject.collection,
        alert=subject.alert.name,
        job=subject.job,
        sentence=sentence,
        facts={"incidents": count, "open": len(still), "since": first},
    )


def message_of_test(alert: Alert, collection: CollectionKey, now: Instant) -> AlertMessage:
    """Return what a test of an alert sends."""
    return AlertMessage(
        kind=NotificationKind.TEST,
        at=now,
        collection=collection,
        alert=alert.name,
        sentence=f"This is a test of the alert '{alert.name}' of the collection"
        f" '{collection.name}'. Nothing is wrong.",
    )


def _what_happened(event: AlertEvent, facts: AlertFacts) -> str:
    match event:
        case AlertEvent.FAILED:
            count, reason, planned = facts["failedInARow"], facts.get("reason"), facts["planned"]
            why = "" if reason is None else f" ({_reason(reason, facts)})"
            one = f"its run for {planned} was given up"
            several = f"{count} runs in a row were given up, the last one for {planned}"
            return f"failed: {one if count == 1 else several}{why}"
        case AlertEvent.LATE:
            began = facts.get("began")
            state = "has not begun" if began is None else f"began at {began}"
            limit = facts["limit"]
            return f"is late: the occurrence planned for {facts['planned']} {state} (limit {limit})"
        case AlertEvent.NO_SUCCESS:
            last = facts.get("lastSuccess")
            since = "" if last is None else f"; the last one ended at {last}"
            times, end = facts["intervals"], facts.get("lastPlanned")
            if end is None:
                return f"had no success for {times} of its planned times{since}"
            planned = "its last planned time" if times == 1 else f"its last {times} planned times"
            return f"had no success for {planned}, and none follows after {end}{since}"
        case AlertEvent.PAUSED:
            return f"was paused by its policy: {facts['because']}"
        case AlertEvent.EXPIRING:
            return f"has a {facts['what']} that expires at {facts['expires']}"


def _reason(reason: str | int, facts: AlertFacts) -> str:
    status = facts.get("statusCode")
    return str(reason) if status is None else f"{reason} {status}"


def _recovery(event: AlertEvent) -> str:
    match event:
        case AlertEvent.FAILED:
            return "recovered: a run succeeded"
        case AlertEvent.LATE:
            return "is on time again: an occurrence began in time"
        case AlertEvent.NO_SUCCESS:
            return "recovered: it had a success"
        case AlertEvent.PAUSED:
            return "is enabled again"
        case AlertEvent.EXPIRING:
            return "has a credential that is valid for longer"


def _told(instant: Instant) -> str:
    return format_instant(to_the_second(instant))
