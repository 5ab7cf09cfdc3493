"""Calendars of a collection: named sets of days off, and the jobs that use them."""

from datetime import date, timedelta
from typing import Any

import pytest

from foliot.core.model.job import JobState
from foliot.core.model.token import Role
from tests.support.api_client import (
    COLLECTION,
    GROUP,
    JOB,
    JOBS,
    SUBSCRIPTION,
    Client,
    Reply,
    a_collection,
    http_job,
)
from tests.support.template_bodies import deploy, template_collection, template_job

OWN = "api-version=2026-11-01"
CALENDARS = f"{COLLECTION}/calendars"
HOLIDAYS = f"{CALENDARS}/de-holidays"
THIS = SUBSCRIPTION.removeprefix("/subscriptions/")
CHRISTMAS = ["2026-12-25", "2026-12-26/2027-01-01"]
# The clock of these tests stands at 2026-01-10T00:00:00Z.
TODAY, TOMORROW = "2026-01-10", "2026-01-11"
DAILY = {"frequency": "day", "schedule": {"hours": [9], "minutes": [0]}}


def put(client: Client, *dates: str, path: str = HOLIDAYS) -> Reply:
    return client.put(path, {"properties": {"dates": list(dates)}}, query=OWN)


def a_rule(*calendars: str, **more: Any) -> dict[str, Any]:
    return DAILY | {"exclude": {"calendars": list(calendars or ["de-holidays"])}} | more


def a_job(*calendars: str, **more: Any) -> dict[str, Any]:
    return http_job(startTime="2026-01-10T00:00:00Z", recurrence=a_rule(*calendars, **more))


def next_time(client: Client, path: str = JOB) -> str | None:
    return client.get(path).json["properties"].get("status", {}).get("nextExecutionTime")


def test_a_calendar_is_created_replaced_shown_listed_and_deleted(billing: Client) -> None:
    shown = {
        "id": HOLIDAYS,
        "type": "Microsoft.Scheduler/jobCollections/calendars",
        "name": "Billing/de-holidays",
        "properties": {"dates": CHRISTMAS},
    }

    created, replaced = put(billing, "2026-05-01"), put(billing, *CHRISTMAS)

    assert (created.status, replaced.status) == (201, 200)
    assert replaced.json == shown
    assert billing.get(HOLIDAYS, query=OWN).json == shown
    assert billing.get(CALENDARS, query=OWN).json == {"value": [shown], "nextLink": None}
    assert billing.delete(HOLIDAYS, query=OWN).status == 200
    assert billing.get(CALENDARS, query=OWN).json["value"] == []
    for method in ("GET", "DELETE"):
        gone = billing.call(method, HOLIDAYS, query=OWN)
        assert (gone.status, gone.code) == (404, "NotFound")
        assert gone.message == "Calendar 'de-holidays' cannot be found."


def test_names_match_in_any_letter_case_and_stay_as_they_were_created(billing: Client) -> None:
    put(billing, "2026-05-01")

    again = put(billing, "2026-05-02", path=HOLIDAYS.upper())

    assert (again.status, again.json["id"]) == (200, HOLIDAYS)
    assert billing.get(HOLIDAYS.swapcase(), query=OWN).json == again.json


def test_calendars_are_listed_by_name_in_pages(billing: Client) -> None:
    for name in ("b", "C", "a"):
        put(billing, TODAY, path=f"{CALENDARS}/{name}")

    def names(query: str) -> list[str]:
        found = billing.get(CALENDARS, query=f"{OWN}{query}").json["value"]
        return [each["name"] for each in found]

    assert names("") == ["Billing/a", "Billing/b", "Billing/C"]
    assert names("&$top=1&$skip=1") == ["Billing/b"]
    assert names("&$skiptoken=a") == ["Billing/b", "Billing/C"]


def test_a_calendar_may_be_empty(billing: Client) -> None:
    assert put(billing).json["properties"] == {"dates": []}
    assert billing.put(JOB, a_job()).status == 201


def test_the_same_calendar_again_changes_nothing(billing: Client) -> None:
    put(billing, *CHRISTMAS)
    before = billing.state()
    billing.clock.set("2026-01-11T00:00:00Z")

    assert put(billing, *CHRISTMAS).status == 200
    assert billing.state() == before


@pytest.mark.parametrize("version", ["2016-03-01", "2016-01-01", "2014-08-01-preview"])
def test_older_versions_have_no_calendars(billing: Client, version: str) -> None:
    reply = billing.get(CALENDARS, query=f"api-version={version}")

    assert (reply.status, reply.code) == (400, "MissingOrIncorrectVersionHeader")


def dates(*given: Any) -> dict[str, Any]:
    return {"properties": {"dates": list(given)}}


BAD: dict[str, tuple[Any, str]] = {
    "no properties": ({}, "properties: is missing; give an object {...}."),
    "dates in the wrong place": (
        {"dates": []},
        "dates: is not known here; it belongs into 'properties'.",
    ),
    "no dates": (
        {"properties": {}},
        'properties.dates: is missing; give a list of dates such as ["2026-12-25"].',
    ),
    "a misspelt name": (
        {"properties": {"date": []}},
        "properties.date: is not known here; did you mean 'dates'?",
    ),
    "one date": (
        {"properties": {"dates": "2026-12-25"}},
        'properties.dates: "2026-12-25" is not valid; give a list [...].',
    ),
    "no text": (dates(5), 'properties.dates[0]: 5 is not valid; give a date such as "2026-12-25".'),
    "no date": (
        dates("2026-12-25", "2026-02-30"),
        'properties.dates[1]: "2026-02-30" is not a date; give one such as 2026-12-25, '
        "or a range such as 2026-12-24/2027-01-01.",
    ),
    "a range backwards": (
        dates("2027-01-01/2026-12-24"),
        'properties.dates[0]: "2027-01-01/2026-12-24" ends before it begins; '
        "give the earlier date first.",
    ),
    "too many days": (
        dates("2026-01-01/2031-06-24"),
        "properties.dates: 2001 days are too many, each day of a range counted; give at most 2000.",
    ),
    "too many values": (
        dates(*["2026-01-01"] * 2001),
        "properties.dates: 2001 values are too many; give at most 2000.",
    ),
    "more properties": (
        {"properties": {"dates": [], "then": "skip"}},
        "properties.then: is not known here; the known properties are dates.",
    ),
    "another name": (
        dates() | {"name": "other"},
        'name: "other" is not valid; give the name of the address, Billing/de-holidays, '
        "or leave it out.",
    ),
}


@pytest.mark.parametrize(("body", "message"), BAD.values(), ids=BAD)
def test_a_bad_calendar_is_refused_and_changes_nothing(
    billing: Client, body: Any, message: str
) -> None:
    put(billing, "2026-05-01")
    before = billing.state()

    reply = billing.put(HOLIDAYS, body, query=OWN)

    assert (reply.status, reply.code, reply.message) == (400, "BadRequest", message)
    assert billing.state() == before


@pytest.mark.parametrize("name", ["1st", "a.b", "a%20b", "x" * 101])
def test_a_calendar_has_a_name_like_that_of_a_job(billing: Client, name: str) -> None:
    reply = put(billing, path=f"{CALENDARS}/{name}")

    assert reply.status == 400
    assert reply.message.startswith("name: ")
    assert billing.get(CALENDARS, query=OWN).json["value"] == []


def test_a_collection_has_100_calendars_at_most(billing: Client) -> None:
    for number in range(100):
        assert put(billing, path=f"{CALENDARS}/c{number}").status == 201

    reply = put(billing)

    assert (reply.status, reply.code) == (409, "ConflictError")
    assert "has 100 calendars already" in reply.message
    assert put(billing, TODAY, path=f"{CALENDARS}/c0").status == 200


def test_a_calendar_that_is_named_twice_is_kept_once(billing: Client) -> None:
    put(billing, TODAY)

    put(billing, TODAY, path=f"{CALENDARS}/Closing")

    reply = billing.put(JOB, a_job("DE-holidays", "Closing", "de-holidays", "DE-HOLIDAYS"))

    exclude = reply.json["properties"]["recurrence"]["exclude"]
    assert exclude["calendars"] == ["DE-holidays", "Closing"]


def test_a_job_comes_back_with_the_names_of_its_calendars_and_no_dates(billing: Client) -> None:
    put(billing, TODAY)

    reply = billing.put(JOB, a_job("DE-holidays"))

    exclude = {"calendars": ["DE-holidays"]}
    assert reply.status == 201
    assert reply.json["properties"]["recurrence"]["exclude"] == exclude
    assert "calendar" not in reply.content.decode().replace('"calendars"', "")
    assert reply.json["properties"]["status"]["nextExecutionTime"] == "2026-01-11T09:00:00Z"


@pytest.mark.parametrize(
    ("name", "others", "advice"),
    [
        ("de-holiday", ["de-holidays", "fr"], "did you mean 'de-holidays'?"),
        ("bank", ["de-holidays", "FR"], "it has 'de-holidays', 'FR'."),
        ("bank", [], "it has none; create the calendar first."),
    ],
    ids=["misspelt", "another", "none"],
)
def test_an_unknown_calendar_is_refused(
    billing: Client, name: str, others: list[str], advice: str
) -> None:
    for each in others:
        put(billing, TODAY, path=f"{CALENDARS}/{each}")
    billing.put(JOB, http_job(recurrence=DAILY))
    names = [*others[:1], name]
    before = billing.state()

    replies = [
        billing.put(JOB, a_job(*names)),
        billing.patch(JOB, {"properties": {"recurrence": a_rule(*names)}}),
        billing.post(JOBS, a_job(*names)),
    ]

    path = f"properties.recurrence.exclude.calendars[{len(names) - 1}]"
    for reply in replies:
        assert (reply.status, reply.code) == (400, "BadRequest")
        assert reply.message == (f'{path}: "{name}" is not a calendar of the collection; {advice}')
    assert billing.state() == before


def test_a_calendar_of_another_collection_is_unknown(billing: Client) -> None:
    other = COLLECTION.replace("Billing", "Other")
    billing.put(other, a_collection())
    put(billing, TODAY, path=f"{other}/calendars/de-holidays")

    assert billing.put(JOB, a_job()).status == 400


def test_a_changed_calendar_moves_the_next_run_and_restarts_nothing(billing: Client) -> None:
    put(billing, "2026-05-01")
    billing.put(JOB, a_job(count=5))
    billing.alter_job(occurrence=2)
    before = billing.job()

    put(billing, TODAY, TOMORROW)
    moved, after = next_time(billing), billing.job()
    put(billing, TOMORROW)

    assert moved == "2026-01-12T09:00:00Z"
    assert next_time(billing) == "2026-01-10T09:00:00Z"
    kept = [(each.generation, each.occurrence, each.calendar_at) for each in (before, after)]
    assert kept[0] == kept[1]


def test_days_of_several_calendars_and_dates_add_up(billing: Client) -> None:
    put(billing, TODAY)
    put(billing, "2026-01-12", path=f"{CALENDARS}/mine")
    exclude = {"dates": [TOMORROW], "calendars": ["mine", "de-holidays"]}
    billing.put(JOB, http_job(startTime=TODAY, recurrence=DAILY | {"exclude": exclude}))
    first = next_time(billing)

    put(billing, "2026-01-13", path=f"{CALENDARS}/mine")

    assert first == "2026-01-13T09:00:00Z"
    assert next_time(billing) == "2026-01-12T09:00:00Z"


def test_only_jobs_that_use_the_calendar_are_changed(billing: Client) -> None:
    put(billing, TODAY)
    put(billing, TODAY, path=f"{CALENDARS}/mine")
    billing.put(JOB, a_job())
    billing.put(f"{JOBS}/Other", a_job("mine"))
    billing.put(f"{JOBS}/Former", a_job())
    billing.put(f"{JOBS}/Former", http_job(startTime=TODAY, recurrence=DAILY))
    others = {name: billing.job(name) for name in ("Other", "Former")}

    put(billing, TODAY, TOMORROW)

    assert next_time(billing) == "2026-01-12T09:00:00Z"
    assert {name: billing.job(name) for name in others} == others


def test_the_same_job_again_does_not_restart_after_a_change_of_its_calendar(
    billing: Client,
) -> None:
    put(billing, "2026-05-01")
    billing.put(JOB, a_job())
    put(billing, TODAY)
    before = billing.state()
    billing.clock.set("2026-01-10T10:00:00Z")

    assert billing.put(JOB, a_job("de-Holidays")).status == 200
    assert billing.state() == before


def test_an_ended_job_can_be_sent_again_after_a_change_of_its_calendar(billing: Client) -> None:
    put(billing, "2026-05-01")
    billing.put(JOB, a_job())
    billing.alter_job(state=JobState.COMPLETED, next_at=None)

    put(billing, TODAY)

    assert billing.put(JOB, a_job()).status == 200
    assert next_time(billing) is None


def test_a_disabled_job_goes_on_by_the_calendar_as_it_is_when_it_is_enabled(
    billing: Client,
) -> None:
    put(billing, "2026-05-01")
    billing.put(JOB, a_job())
    billing.patch(JOB, {"properties": {"state": "disabled"}})

    put(billing, TODAY)
    disabled = next_time(billing)
    billing.patch(JOB, {"properties": {"state": "enabled"}})

    assert disabled is None
    assert next_time(billing) == "2026-01-11T09:00:00Z"


def test_what_is_due_stays_due_unless_its_day_is_off(billing: Client) -> None:
    put(billing, "2026-05-01")
    billing.put(JOB, a_job())
    billing.clock.set("2026-01-10T09:00:01Z")

    put(billing, TOMORROW)
    due = next_time(billing)
    put(billing, TODAY)

    assert due == "2026-01-10T09:00:00Z"
    assert next_time(billing) == "2026-01-11T09:00:00Z"


def test_a_calendar_that_leaves_a_job_without_a_run_is_refused(billing: Client) -> None:
    put(billing, "2026-12-25")
    yearly = {"cron": "0 9 25 12 *", "exclude": {"calendars": ["de-holidays"]}}
    billing.put(f"{JOBS}/Xmas", http_job(startTime=TODAY, recurrence=yearly))
    billing.put(f"{JOBS}/Paused", http_job(recurrence=yearly, state="disabled"))
    billing.put(f"{JOBS}/Soon", a_job(endTime="2026-01-11T12:00:00Z"))
    before = billing.state()

    never = put(billing, *(f"{year}-12-25" for year in range(2026, 2047)))
    ended = put(billing, TODAY, TOMORROW)

    assert (never.status, never.code) == (400, "BadRequest")
    assert never.message.startswith(
        "properties.dates: with these days job 'Xmas' would not run again within 20 years"
    )
    assert (ended.status, ended.code) == (400, "BadRequest")
    assert "job 'Soon' would not run again within 20 years or before its end" in ended.message
    assert billing.state() == before


def test_a_job_that_its_calendar_leaves_without_a_run_is_refused(billing: Client) -> None:
    put(billing, *(f"{year}-12-25" for year in range(2026, 2047)))
    yearly = {"cron": "0 9 25 12 *", "exclude": {"calendars": ["de-holidays"]}}

    reply = billing.put(JOB, http_job(startTime=TODAY, recurrence=yearly))

    assert reply.status == 400
    assert reply.message.startswith("properties.recurrence.cron: this schedule never occurs:")
    assert reply.message.endswith("change its days or times, or its days off.")


def test_a_calendar_of_2000_dates_applies_to_many_jobs(client: Client) -> None:
    client.put(COLLECTION, a_collection("P20Premium"))
    put(client, "2026-05-01")
    names = [f"j{number}" for number in range(60)]
    for name in names:
        client.put(f"{JOBS}/{name}", a_job())

    first, worked = date(2026, 1, 10), date(2026, 7, 19)
    days = [each for n in range(2001) if (each := first + timedelta(days=n)) != worked]
    reply = put(client, *(day.isoformat() for day in days))

    assert reply.status == 200, reply.message
    assert len(reply.json["properties"]["dates"]) == 2000
    assert {next_time(client, f"{JOBS}/{name}") for name in names} == {"2026-07-19T09:00:00Z"}


def test_a_quota_counts_times_that_a_calendar_moves_together(client: Client) -> None:
    quota = {"maxRecurrence": {"frequency": "day", "interval": 7}}
    client.put(COLLECTION, a_collection(quota=quota))
    put(client, "2026-12-24")
    rule = {
        "cron": "0 9 * * FRI",
        "exclude": {"calendars": "de-holidays", "then": "next"},
    }
    assert client.put(JOB, http_job(recurrence=rule)).status == 201
    before = client.state()

    changed = put(client, "2026-12-25")

    assert (changed.status, changed.code) == (409, "ConflictError")
    assert changed.message.startswith("Job 'Nightly' uses the calendar. ")
    assert "two runs would be 6 days apart" in changed.message
    assert client.state() == before


def test_a_calendar_does_not_move_times_closer_together_than_the_jitter(billing: Client) -> None:
    put(billing)
    # Each run is an hour later on the clock than the one of the day before.
    exclude = {"calendars": "de-holidays", "then": "next"}
    rule = {"frequency": "hour", "interval": 25, "exclude": exclude}
    job = http_job(startTime="2026-01-20", recurrence=rule, policy={"jitter": "PT1H"})
    assert billing.put(JOB, job).status == 201
    before = billing.state()

    refused = put(billing, "2026-01-21")

    assert (refused.status, refused.code) == (400, "BadRequest")
    assert refused.message == (
        "properties.dates: with these days the policy of job 'Nightly' would be refused: "
        'properties.policy.jitter: "PT1H" is not valid; give less than 1 hour, the smallest gap '
        "between two occurrences."
    )
    assert billing.state() == before
    billing.patch(JOB, {"properties": {"policy": {"jitter": "PT59M"}}})
    assert put(billing, "2026-01-21").status == 200


def test_a_calendar_in_use_is_not_deleted(billing: Client) -> None:
    put(billing, TODAY)
    for number in range(7):
        billing.put(f"{JOBS}/j{number}", a_job())

    refused = billing.delete(HOLIDAYS, query=OWN)
    for number in range(6):
        billing.delete(f"{JOBS}/j{number}")
    one = billing.delete(HOLIDAYS, query=OWN)
    billing.put(f"{JOBS}/j6", http_job(recurrence=DAILY))

    assert (refused.status, refused.code) == (409, "ConflictError")
    assert refused.message == (
        "The calendar 'de-holidays' is used by the jobs 'j0', 'j1', 'j2', 'j3', 'j4' and 2 more; "
        "change or delete them first."
    )
    assert one.message == (
        "The calendar 'de-holidays' is used by the job 'j6'; change or delete it first."
    )
    assert billing.delete(HOLIDAYS, query=OWN).status == 200


@pytest.mark.parametrize("path", [COLLECTION, GROUP], ids=["collection", "group"])
def test_calendars_go_with_what_they_belong_to(billing: Client, path: str) -> None:
    put(billing, TODAY)
    billing.put(JOB, a_job())

    assert billing.delete(path).status == 200
    assert (billing.state()["calendar"], billing.state()["calendar_use"]) == ([], [])
    billing.put(COLLECTION, a_collection())
    assert billing.get(CALENDARS, query=OWN).json["value"] == []


def test_a_calendar_whose_job_cannot_be_read_is_not_changed(billing: Client) -> None:
    put(billing, TODAY)
    billing.put(JOB, a_job())
    what = {"id": billing.job().id, "sealed": b"?", "changed_at": None, "changed_by": None}
    billing.run(billing.store.write(lambda to: to._change("save_definition", what)))  # noqa: SLF001

    reply = put(billing, TOMORROW)

    assert (reply.status, reply.code) == (409, "ConflictError")
    assert "The definition of job 'Nightly' cannot be read" in reply.message
    assert billing.get(HOLIDAYS, query=OWN).json["properties"]["dates"] == [TODAY]


def test_a_reader_reads_and_a_contributor_writes(billing: Client) -> None:
    put(billing, TODAY)
    body = dates()

    billing.principal(Role.READER, subscription=THIS, group="prod", collection="billing")
    read = [billing.get(path, query=OWN).status for path in (HOLIDAYS, CALENDARS)]
    refused = [billing.put(HOLIDAYS, body, query=OWN), billing.delete(HOLIDAYS, query=OWN)]
    billing.principal(Role.CONTRIBUTOR, subscription=THIS, group="prod", collection="billing")
    written = [billing.put(HOLIDAYS, body, query=OWN), billing.delete(HOLIDAYS, query=OWN)]

    assert read == [200, 200]
    assert [(each.status, each.code) for each in refused] == [(403, "AuthorizationFailed")] * 2
    assert [each.status for each in written] == [200, 200]


def test_what_lies_outside_the_scope_is_not_found(billing: Client) -> None:
    put(billing, TODAY)
    billing.principal(Role.OWNER, subscription=THIS, group="prod", collection="other")
    body = dates()

    replies = [
        billing.get(HOLIDAYS, query=OWN),
        billing.get(CALENDARS, query=OWN),
        billing.put(HOLIDAYS, body, query=OWN),
        billing.delete(HOLIDAYS, query=OWN),
    ]

    assert [(each.status, each.code) for each in replies] == [(404, "ResourceNotFound")] * 4


def test_a_collection_that_is_missing_has_no_calendars(client: Client) -> None:
    replies = [client.get(CALENDARS, query=OWN), put(client, TODAY)]

    assert [(each.status, each.code) for each in replies] == [(404, "ResourceNotFound")] * 2


def test_a_template_deploys_a_job_that_names_a_calendar(billing: Client) -> None:
    put(billing, TODAY)
    job = template_job(startTime=TODAY, recurrence=a_rule())

    deployed = deploy(billing, job)
    put(billing, TODAY, TOMORROW)

    assert deployed.status == 201, deployed.message
    assert next_time(billing) == "2026-01-12T09:00:00Z"


def test_a_template_with_an_unknown_calendar_deploys_nothing(billing: Client) -> None:
    job = template_job("New/Nightly", recurrence=a_rule())

    reply = deploy(billing, template_collection("New"), job)

    assert reply.status == 400
    assert (
        "resources[1].properties.recurrence.exclude.calendars[0]: "
        '"de-holidays" is not a calendar of the collection; it has none' in reply.message
    )
    assert billing.get(COLLECTION.replace("Billing", "New")).status == 404


def test_the_calendars_of_a_job_have_2000_days_together_at_most(billing: Client) -> None:
    put(billing, "2026-01-11/2031-07-02")
    put(billing, "2026-01-11/2026-02-01", path=f"{CALENDARS}/mine")
    both = a_job("de-holidays", "mine")

    accepted = billing.put(JOB, both)
    before = billing.state()
    grown = put(billing, "2026-01-11", "2031-07-03/2031-07-04", path=f"{CALENDARS}/mine")

    assert accepted.status == 201, accepted.message
    assert (grown.status, grown.message) == (
        400,
        "properties.dates: the calendars of job 'Nightly' have 2001 days together; "
        "give calendars with at most 2000.",
    )
    assert billing.state() == before
    billing.delete(JOB)
    put(billing, "2031-07-03/2031-07-04", path=f"{CALENDARS}/mine")
    refused = billing.put(JOB, both)
    assert refused.message == (
        "properties.recurrence.exclude.calendars: these calendars have 2001 days together; "
        "give calendars with at most 2000."
    )
