"""Pages: what they show, to whom, and what can be done on them."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from foliot.core.errors import Unavailable
from foliot.core.instant import HOUR, MINUTE, SECOND, Instant, parse_instant
from foliot.core.limits import Limits
from foliot.core.model.history import AttemptStatus
from foliot.core.model.job import JobState
from foliot.core.model.node import Node
from foliot.core.model.token import Role, Scope
from foliot.ports.store import Reading, Transaction
from tests.portal.browser import COLLECTION, JOB, OWNER, Browser
from tests.portal.filling import filled, read_form
from tests.support.api_client import http_job
from tests.support.builders import NOW, a_lease, a_run, an_entry

NEW = "/collections"
EDIT = f"{COLLECTION}/edit"


def with_job(browser: Browser, name: str = "Nightly", **properties: Any) -> None:
    browser.api("PUT", f"Billing/jobs/{name}", http_job(**properties))


def stored(browser: Browser, name: str = "Nightly") -> Any:
    def view(reading: Reading) -> Any:
        found = reading.search_collections(Scope())[0].collection
        located = reading.located_job(found.key, name)
        return None if located is None else located[1]

    return browser.run(browser.store.read(view))


def change(browser: Browser, steps: Any) -> Any:
    return browser.run(browser.store.write(steps))


def names(browser: Browser) -> list[str]:
    return [each["name"].split("/")[1] for each in browser.api("GET", "Billing/jobs")["value"]]


def test_an_empty_server_says_what_to_do_next(browser: Browser) -> None:
    assert "Welcome to Foliot" in browser.get("/").words
    assert "No collections yet" in browser.get("/collections").words
    assert "No scheduled runs" in browser.get("/calendar").words


def test_an_empty_collection_says_what_to_do_next(billing: Browser) -> None:
    assert "No jobs yet" in billing.get(COLLECTION).words


def test_collections_are_listed_with_their_quota_and_tags(billing: Browser) -> None:
    with_job(billing)
    form = filled(
        read_form(billing.get(EDIT).text, EDIT),
        **{"tags:name": ["team", ""], "tags:value": ["<b>pay</b>", ""]},
        properties__quota__maxJobCount="2",
        location="westus",
    )
    assert "Saved." in billing.send(EDIT, form).words

    shown = billing.get("/collections")

    assert "Billing me / home Standard 1 of 2 Enabled West US team: <b>pay</b>" in shown.words
    assert "<b>pay</b>" not in shown.text
    assert 'aria-label="1 of 2 jobs"' in shown.text


def test_collections_are_found_by_name_and_page_by_page(browser: Browser) -> None:
    for number in range(102):
        browser.api("PUT", f"c{number:03}", {"properties": {"sku": {"name": "P10Premium"}}})

    first = browser.get("/collections")
    found = browser.get("/collections?q=C10")
    none = browser.get("/collections?q=%25")
    second = browser.get("/collections?after=me/home/c099")

    assert "c099" in first.words
    assert "c100" not in first.words
    assert "after=me%2Fhome%2Fc099" in first.text
    assert [name for name in ("c010", "c100", "c101") if name in found.words] == ["c100", "c101"]
    assert "No collections match “%”" in none.words
    assert ("c100" in second.words, "c001" in second.words) == (True, False)
    assert "c001" in browser.get("/collections?after=nonsense").words


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        pytest.param({"collection": "1st"}, 400, '"1st" is not valid', id="name"),
        pytest.param({"collection": ""}, 400, "Name is missing; give 1 to 100", id="no name"),
        pytest.param({"group": "a/b"}, 400, '"a/b" is not valid', id="group"),
        pytest.param({"properties.sku.name": "Gold"}, 400, '"Gold" is not valid', id="plan"),
        pytest.param(
            {"properties.quota.maxJobCount": "51"}, 400, "51 is not valid", id="too high a quota"
        ),
        pytest.param(
            {"properties.quota.maxRecurrence.interval": "2"},
            400,
            "is missing; give one of minute, hour, day, week, month, year.",
            id="half of a quota",
        ),
        pytest.param({"collection": "billing"}, 409, "'Billing' here already", id="taken"),
    ],
)
def test_a_collection_that_cannot_be_is_refused(
    billing: Browser, fields: dict[str, str], status: int, words: str
) -> None:
    page = billing.get("/collections/new")
    given = filled(read_form(page.text, NEW), **({"collection": "Other"} | fields))

    refused = billing.send(NEW, given)

    assert refused.status == status
    assert words in refused.words
    assert len(billing.api("GET", "")["value"]) == 1


def test_opening_and_saving_a_collection_changes_nothing(billing: Browser) -> None:
    body = {
        "location": "West US",
        "tags": {"a": "1", "b": ""},
        "properties": {
            "sku": {"name": "P20Premium"},
            "state": "Suspended",
            "quota": {
                "maxJobCount": 7,
                "maxJobOccurrence": 9,
                "maxRecurrence": {"frequency": "hour", "interval": 2},
            },
        },
    }
    billing.api("PUT", "Billing", body)
    before = billing.api("GET", "Billing")

    saved = billing.send(EDIT, read_form(billing.get(EDIT).text, EDIT))

    assert "Saved." in saved.words
    assert billing.api("GET", "Billing") == before


def test_a_quota_is_taken_away_again(billing: Browser) -> None:
    quota = {"maxRecurrence": {"frequency": "hour", "interval": 2}}
    billing.api("PUT", "Billing", {"properties": {"quota": quota}})
    form = read_form(billing.get(EDIT).text, EDIT)

    billing.send(EDIT, filled(form, properties__quota__maxRecurrence__frequency=""))

    assert "quota" not in billing.api("GET", "Billing")["properties"]


def test_a_plan_that_the_jobs_do_not_fit_is_refused(billing: Browser) -> None:
    with_job(billing, recurrence={"frequency": "minute"})
    form = read_form(billing.get(EDIT).text, EDIT)

    refused = billing.send(EDIT, filled(form, properties__sku__name="Free"))

    assert refused.status == 409
    assert "Jobs of the collection would go over its limits: 'Nightly'" in refused.words


def test_a_collection_that_someone_else_changed_is_not_overwritten(billing: Browser) -> None:
    form = read_form(billing.get(EDIT).text, EDIT)
    billing.api("PATCH", "Billing", {"tags": {"a": "b"}})

    assert billing.send(EDIT, form).status == 409


def test_a_collection_is_disabled_and_enabled(billing: Browser) -> None:
    off = billing.post(f"{COLLECTION}/disable")
    on = billing.post(f"{COLLECTION}/enable")

    assert "its jobs do not run until it is enabled" in off.words
    assert "Collection enabled." in on.words


def test_a_collection_is_deleted_when_its_name_is_typed(billing: Browser) -> None:
    with_job(billing)
    asked = billing.get(f"{COLLECTION}/delete")
    wrong = billing.post(f"{COLLECTION}/delete", {"name": "other"})
    done = billing.post(f"{COLLECTION}/delete", {"name": "billing"})

    assert "This deletes the collection, its 1 job and their history." in asked.words
    assert wrong.status == 400
    assert "This is not the name of the collection: type Billing." in wrong.words
    assert 'value="other"' in wrong.text
    assert "Collection Billing deleted." in done.words
    assert billing.get(COLLECTION).status == 404


def test_jobs_are_listed_with_their_schedule_and_outcomes(billing: Browser) -> None:
    rule = {"frequency": "day", "schedule": {"hours": [7], "minutes": [30]}}
    with_job(billing, recurrence=rule, startTime="2026-01-01T00:00:00Z")
    job = stored(billing)

    def history(to: Transaction) -> None:
        for second, status in ((1, AttemptStatus.COMPLETED), (2, AttemptStatus.FAILED)):
            to.add_history(an_entry(job.id, second=second, status=status))

    change(billing, history)

    shown = billing.get(COLLECTION)

    assert "Nightly Every day at 07:30 UTC enabled in 7 h failed" in shown.words
    assert 'aria-label="Last 2: 1 completed, 1 failed"' in shown.text


def test_jobs_are_searched_filtered_and_sorted(billing: Browser) -> None:
    with_job(billing, "alpha", startTime="2026-01-12T00:00:00Z")
    with_job(billing, "beta", startTime="2026-01-11T00:00:00Z")
    with_job(billing, "gamma", state="disabled")
    beta = stored(billing, "beta")
    change(billing, lambda to: to.add_history(an_entry(beta.id, status=AttemptStatus.FAILED)))

    def listed(query: str) -> list[str]:
        text = billing.part(f"{COLLECTION}?{query}").text
        found = {name: text.find(f'value="{name}"') for name in ("alpha", "beta", "gamma")}
        return sorted((name for name in found if found[name] >= 0), key=lambda name: found[name])

    assert listed("") == ["alpha", "beta", "gamma"]
    assert listed("q=ET") == ["beta"]
    assert listed("state=disabled") == ["gamma"]
    assert listed("outcome=failed") == ["beta"]
    assert listed("outcome=completed") == []
    assert listed("sort=next") == ["beta", "alpha", "gamma"]
    assert listed("sort=last") == ["alpha", "beta", "gamma"]
    assert listed("sort=failures") == ["alpha", "beta", "gamma"]
    assert listed("sort=nonsense&skip=x") == ["alpha", "beta", "gamma"]
    assert "No jobs match these filters" in billing.part(f"{COLLECTION}?q=zzz").words


def test_a_long_list_comes_in_parts(browser: Browser) -> None:
    browser.api("PUT", "Billing", {"properties": {"sku": {"name": "P20Premium"}}})
    for number in range(101):
        browser.api("PUT", f"Billing/jobs/j{number:03}", http_job())

    first = browser.get(COLLECTION)
    rest = browser.part(f"{COLLECTION}?sort=name&skip=100")

    assert 'value="j099"' in first.text
    assert 'value="j100"' not in first.text
    assert "?skip=100" in first.text
    assert 'value="j100"' in rest.text
    assert "<thead>" not in rest.text


@pytest.mark.parametrize(
    ("wish", "words", "left"),
    [
        pytest.param("disable", "2 jobs disabled.", ["a", "b", "c"], id="disable"),
        pytest.param("enable", "2 jobs enabled.", ["a", "b", "c"], id="enable"),
        pytest.param("run", "2 runs started.", ["a", "b", "c"], id="run"),
        pytest.param("delete", "2 jobs deleted.", ["c"], id="delete"),
    ],
)
def test_many_jobs_are_changed_at_once(
    billing: Browser, wish: str, words: str, left: list[str]
) -> None:
    for name in ("a", "b", "c"):
        with_job(billing, name, recurrence={"frequency": "day"})

    shown = billing.post(COLLECTION, {"job": ["a", "b"], "do": wish})

    assert words in shown.words
    assert names(billing) == left
    if wish == "disable":
        states = [stored(billing, name).state.value for name in ("a", "b", "c")]
        assert states == ["disabled", "disabled", "enabled"]


def test_what_is_refused_of_many_is_told(billing: Browser) -> None:
    with_job(billing, "a")

    shown = billing.post(COLLECTION, {"job": ["a", "b", "c", "d", "e"], "do": "disable"})

    assert "1 job disabled." in shown.words
    assert "4 failed. b: Job 'b' cannot be found. c:" in shown.words
    assert "And 1 more." in shown.words
    assert "Select at least one job." in billing.post(COLLECTION, {"do": "run"}).words
    assert billing.post(COLLECTION, {"job": "a", "do": "explode"}).status == 400


def test_a_job_is_shown_with_what_it_does_and_how_it_went(billing: Browser) -> None:
    with_job(billing, recurrence={"frequency": "hour"})
    job = stored(billing)

    def happen(to: Transaction) -> None:
        to.add_history(an_entry(job.id, message="<i>OK</i>", retry_count=2, repeat_count=7))
        to.add_run(a_run(job, second=1, lease=a_lease()))
        to.add_run(a_run(job, second=2, attempt=3, due_at=Instant(job.calendar_at + MINUTE)))
        to.add_run(a_run(job, second=3, is_manual=True))

    change(billing, happen)

    shown = billing.get(JOB)

    assert "Schedule Every hour" in shown.words
    assert "GET http://example.com/" in shown.words
    assert "running attempt 1, scheduled for 2026-01-10 00:00:01 UTC" in shown.words
    assert "waiting for retry attempt 3 in 1 min" in shown.words
    assert "queued started manually, in 3 s" in shown.words
    assert "<i>OK</i>" in shown.words
    assert "<i>OK</i>" not in shown.text


def test_the_live_part_of_a_job_comes_only_when_it_is_new(billing: Browser) -> None:
    with_job(billing, recurrence={"frequency": "hour"})
    page = billing.get(JOB)
    mark, job_id = page.text.split("live?seen=")[1].split('"')[0], stored(billing).id

    same = billing.part(f"{JOB}/live?seen={mark}")
    change(billing, lambda to: to.add_history(an_entry(job_id, message="done")))
    other = billing.part(f"{JOB}/live?seen={mark}")

    assert same.status == 204
    assert (other.status, "done" in other.words) == (200, True)


def test_a_job_runs_now_and_is_disabled_enabled_and_deleted(billing: Browser) -> None:
    with_job(billing, recurrence={"frequency": "day"})
    job = stored(billing)

    ran = billing.post(f"{JOB}/run")
    runs = billing.run(billing.store.read(lambda reading: reading.runs(job.id)))
    off = billing.post(f"{JOB}/disable")
    on = billing.post(f"{JOB}/enable")
    gone = billing.post(f"{JOB}/delete")

    assert "Run started." in ran.words
    assert [run.is_manual for run in runs] == [True]
    assert "Job disabled." in off.words
    assert "Job enabled." in on.words
    assert "Job Nightly deleted." in gone.words
    assert names(billing) == []


@pytest.mark.parametrize(
    ("action", "words"),
    [
        pytest.param(
            {"type": "StorageQueue"}
            | {"queueMessage": {"storageAccount": "acme", "queueName": "q", "message": "m"}},
            "Storage queue q of account acme",
            id="storage queue",
        ),
        pytest.param(
            {"type": "ServiceBusQueue"}
            | {"serviceBusQueueMessage": {"namespace": "n", "queueName": "q", "message": "m"}},
            "Service Bus queue q of namespace n",
            id="service bus queue",
        ),
        pytest.param(
            {"type": "ServiceBusTopic"}
            | {"serviceBusTopicMessage": {"namespace": "n", "topicPath": "t", "message": "m"}},
            "Service Bus topic t of namespace n",
            id="service bus topic",
        ),
    ],
)
def test_the_target_of_every_kind_is_told(
    billing: Browser, action: dict[str, Any], words: str
) -> None:
    billing.api("PUT", "Billing/jobs/Nightly", {"properties": {"action": action}})

    assert words in billing.get(JOB).words


def test_the_action_is_shown_with_its_secret_as_set(billing: Browser) -> None:
    body = http_job()
    request = body["properties"]["action"]["request"]
    request["authentication"] = {"type": "Basic", "username": "ann", "password": OWNER[::-1]}
    request["headers"] = {"X-A": "1"}
    billing.api("PUT", "Billing/jobs/Nightly", body)

    shown = billing.get(f"{JOB}/action")

    assert "request.headers.X-A 1" in shown.words
    assert "request.authentication.password •••••• (set)" in shown.words
    assert OWNER[::-1] not in shown.text


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        pytest.param(
            {"recurrence": {"frequency": "day", "count": 3}, "startTime": "2026-01-11T05:00:00Z"},
            "Every day at 05:00 UTC, 3 times Next 3 runs 1 2026-01-11 05:00:00 UTC in 1 d",
            id="ends",
        ),
        pytest.param({"state": "disabled"}, "If you enable it now, it runs", id="disabled"),
    ],
)
def test_the_schedule_is_shown(billing: Browser, properties: dict[str, Any], words: str) -> None:
    with_job(billing, **properties)

    assert words in billing.get(f"{JOB}/schedule").words


def test_a_job_that_has_ended_does_not_offer_to_change_it(billing: Browser) -> None:
    with_job(billing)
    job = stored(billing)
    change(billing, lambda to: to.save_job(ended(job)))

    shown = billing.get(JOB)
    schedule = billing.get(f"{JOB}/schedule")

    assert f'href="{JOB}/edit"' not in shown.text
    assert "is completed and will not run again" in schedule.words


def ended(job: Any) -> Any:
    return structs.replace(job, state=JobState.COMPLETED, next_at=None)


def test_history_is_filtered_and_paged(billing: Browser) -> None:
    with_job(billing)
    job = stored(billing)

    def history(to: Transaction) -> None:
        for second in range(60):
            status = AttemptStatus.FAILED if second % 30 == 0 else AttemptStatus.COMPLETED
            to.add_history(
                an_entry(job.id, second=second, status=status, message=f"attempt number {second}.")
            )

    change(billing, history)

    first = billing.get(f"{JOB}/history")
    older = billing.get(first.text.split(">Older")[0].rsplit('href="', 1)[1].rstrip('"'))
    failed = billing.get(f"{JOB}/history?status=failed")

    assert "attempt number 59." in first.words
    assert "attempt number 9." not in first.words
    assert "Durations and outcomes" in first.words
    assert "attempt number 9." in older.words
    assert "Durations and outcomes" not in older.words
    assert [f"attempt number {n}." in failed.words for n in (0, 30, 31)] == [True, True, False]
    assert billing.get(f"{JOB}/history?status=odd").status == 200
    assert billing.get(f"{JOB}/history?after=x").status == 400
    assert "No attempts match this filter." in billing.get(f"{JOB}/history?status=postponed").words


def a_node(name: str, **fields: Any) -> Node:
    node = Node(
        id=name, name=name, version="1.2.3", started_at=Instant(NOW - HOUR), seen_at=Instant(NOW)
    )
    return structs.replace(node, **fields)


def test_the_overview_shows_what_runs_failed_and_comes(billing: Browser) -> None:
    with_job(billing, "soon", recurrence={"frequency": "minute", "interval": 5})
    with_job(billing, "bad", recurrence={"frequency": "day"})
    soon, bad = stored(billing, "soon"), stored(billing, "bad")

    def happen(to: Transaction) -> None:
        to.add_run(a_run(soon, lease=a_lease(node="the-node")))
        to.save_node(a_node("alive", in_flight=7))
        to.save_node(a_node("dead", seen_at=Instant(NOW - 60 * SECOND)))
        to.save_node(a_node("idle", has_engine=False))
        to.add_history(an_entry(bad.id, second=-120, status=AttemptStatus.FAILED))
        to.add_history(an_entry(bad.id, second=-60))
        to.add_history(an_entry(bad.id, second=-30, status=AttemptStatus.POSTPONED))

    change(billing, happen)
    billing.set_time("2026-01-10T00:00:03Z")

    shown = billing.get("/")

    assert "Running 1" in shown.words
    assert "Failed attempts, last 24 hours 1" in shown.words
    assert "Attempts, last hour 2" in shown.words
    assert "alive Foliot 1.2.3, up since 2026-01-09 23:00:00 UTC 7 active" in shown.words
    assert "dead Foliot 1.2.3, up since 2026-01-09 23:00:00 UTC 0 not responding" in shown.words
    assert "standby" in shown.words
    assert "2 min ago: 1 attempt, 1 failed" in shown.words
    assert "soon Billing · Every 5 minutes" in shown.words


def test_the_live_overview_comes_only_when_it_is_new(billing: Browser) -> None:
    with_job(billing)
    mark = billing.get("/").text.split("/live?seen=")[1].split('"')[0]

    assert billing.part(f"/live?seen={mark}").status == 204
    billing.set_time("2026-01-10T00:01:00Z")
    assert billing.part(f"/live?seen={mark}").status == 200


def test_those_with_a_scope_see_only_what_is_theirs(billing: Browser) -> None:
    with_job(billing, "mine", recurrence={"frequency": "hour"})
    billing.api("PUT", "Other", {})
    billing.api("PUT", "Other/jobs/theirs", http_job(recurrence={"frequency": "hour"}))
    scope = {"subscription": "me", "group": "home", "collection": "billing"}
    billing.add_token("scoped", Role.OWNER, scope=scope)
    billing.sign_in("scoped")

    seen = [billing.get(path) for path in ("/", "/collections", "/calendar", "/tokens")]

    assert ["mine" in page.words for page in seen] == [True, False, False, False]
    assert not any("Other" in page.words or "theirs" in page.words for page in seen)
    assert "Throughput" not in seen[0].words
    assert OWNER not in seen[3].words
    assert billing.get("/collections/me/home/Other").status == 404
    assert billing.get("/calendar?of=me/home/other").status == 200
    refused = billing.post("/tokens", {"name": "x", "role": "Owner", "scope": "/"})
    assert refused.status == 403
    assert "only within the scope" in refused.words


def test_the_calendar_counts_runs_by_hour_and_lists_them(billing: Browser) -> None:
    with_job(billing, "minutely", recurrence={"frequency": "minute", "interval": 10})
    with_job(
        billing,
        "daily",
        recurrence={"frequency": "day", "schedule": {"hours": [5], "minutes": [0]}},
    )
    billing.set_time("2026-01-10T00:30:00Z")
    five = parse_instant("2026-01-10T05:00:00Z")

    shown = billing.get("/calendar")
    hour = billing.get(f"/calendar?at={five}")
    collection = billing.get("/calendar?of=me/home/billing")

    assert "Sat 10 Jan 05:00, 7 runs" in shown.text
    assert "Sat 10 Jan 06:00, 6 runs" in shown.text
    assert "Hour from 2026-01-10 05:00:00 UTC 2 jobs" in hour.words
    assert "daily Billing 2026-01-10 05:00:00 UTC 1" in hour.words
    assert "minutely Billing 2026-01-10 05:00:00 UTC 6" in hour.words
    assert 'value="me/home/Billing" selected' in collection.text
    assert "daily" in billing.get(f"/calendar?of=me/home/billing&at={five}").words
    assert "No scheduled runs" in billing.get("/calendar?of=me/home/none").words
    assert billing.get("/calendar?at=1").status == 200
    assert billing.get("/calendar?at=x").status == 200


@pytest.mark.parametrize(
    ("zone", "words"),
    [
        pytest.param("Asia/Tokyo", 'Sat 10 Jan 14:00, 1 run"', id="a zone"),
        pytest.param("Nowhere/At_all", 'Sat 10 Jan 05:00, 1 run"', id="none there is"),
    ],
)
def test_the_calendar_is_drawn_in_the_zone_of_the_viewer(
    billing: Browser, zone: str, words: str
) -> None:
    rule = {"frequency": "day", "schedule": {"hours": [5], "minutes": [0]}}
    with_job(billing, recurrence=rule)
    billing.cookies["foliot-zone"] = zone

    assert words in billing.get("/calendar").text


def test_tokens_are_made_shown_once_and_revoked(billing: Browser) -> None:
    made = billing.post(
        "/tokens",
        {"name": "ci", "role": "contributor", "scope": "/subscriptions/me", "expires": "9d"},
    )
    text = made.text.split('id="made">')[1].split("<")[0]
    again = billing.get("/tokens")
    [(number,)] = billing.rows("SELECT id FROM token WHERE name = 'ci'")

    assert "Token ci created. Copy it now" in made.words
    assert text.startswith("foliot_")
    assert text not in again.text
    assert "Contributor /subscriptions/me in 9 d never" in again.words
    assert "Token ci revoked." in billing.post(f"/tokens/{number}/revoke").words
    assert "There is no token 99 here." in billing.post("/tokens/99/revoke").words
    assert "There is no token x here." in billing.post("/tokens/x/revoke").words


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        pytest.param({"name": ""}, "name", id="name"),
        pytest.param({"role": "king"}, "role", id="role"),
        pytest.param({"scope": "here"}, "scope", id="scope"),
        pytest.param({"expires": "2001-01-01"}, "expires", id="expiry"),
    ],
)
def test_a_bad_token_is_refused_beside_its_field(
    billing: Browser, fields: dict[str, str], field: str
) -> None:
    given = {"name": "ci", "role": "Reader", "scope": "/", "expires": ""} | fields

    refused = billing.post("/tokens", given)

    assert refused.status == 400
    assert f'id="{field}-problem"' in refused.text


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/collections", COLLECTION, JOB, f"{JOB}/action", f"{JOB}/schedule"),
        *(f"{JOB}/history", f"{JOB}/json", "/calendar", "/settings", "/about"),
    ],
)
def test_a_reader_sees_everything_and_no_buttons(billing: Browser, path: str) -> None:
    with_job(billing)
    billing.add_token("reader", Role.READER)
    billing.sign_in("reader")

    shown = billing.get(path)

    assert shown.status == 200
    for word in ("New collection", "New job", "Run now", "Delete", "Disable", "Edit", "Tokens"):
        assert word not in shown.words


@pytest.mark.parametrize(
    ("method", "path"),
    [
        *[("GET", path) for path in ("/collections/new", f"{COLLECTION}/new", f"{JOB}/edit")],
        *[("GET", path) for path in (f"{JOB}/duplicate", f"{COLLECTION}/delete", "/tokens")],
        *[("POST", f"{JOB}/{wish}") for wish in ("run", "enable", "disable", "delete")],
        *[("POST", f"{COLLECTION}/{wish}") for wish in ("enable", "disable")],
        *[("POST", path) for path in ("/tokens", "/tokens/1/revoke")],
    ],
)
def test_a_reader_who_asks_all_the_same_is_refused(
    billing: Browser, method: str, path: str
) -> None:
    with_job(billing)
    billing.add_token("reader", Role.READER)
    billing.sign_in("reader")
    form = {"name": "x", "role": "Owner", "scope": "/"}

    csrf = billing.get("/about").csrf
    shown = billing.get(path) if method == "GET" else billing.post(path, form, csrf=csrf)

    assert shown.status == 403
    assert "does not allow this" in shown.words
    assert names(billing) == ["Nightly"]


def test_settings_and_facts_are_shown(browser: Browser) -> None:
    settings, about = browser.get("/settings"), browser.get("/about")

    assert "FOLIOT_PORT 1" in settings.words
    assert "FOLIOT_MAX_JOB_BYTES 16,384" in settings.words
    assert "P20Premium 1,000 at most one run per minute 10,000" in settings.words
    assert "Foliot 9.9" in about.words
    assert "SQLite, here" in about.words


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        pytest.param("GET", "/nowhere", 404, id="no page"),
        pytest.param("GET", "/collections/me/home/none", 404, id="no collection"),
        pytest.param("GET", f"{COLLECTION}/jobs/none", 404, id="no job"),
        pytest.param("POST", "/about", 405, id="no form"),
        pytest.param("GET", "/sign-out", 405, id="a form alone"),
        pytest.param("GET", "/collections?q=%FF", 400, id="no text"),
    ],
)
def test_what_is_not_there_is_said_in_the_layout(
    billing: Browser, method: str, path: str, status: int
) -> None:
    shown = billing.get(path) if method == "GET" else billing.post(path)

    assert shown.status == status


def test_a_script_gets_a_problem_as_text(billing: Browser) -> None:
    shown = billing.part(f"{COLLECTION}/jobs/none/live")

    assert (shown.status, shown.text) == (404, "Job 'none' cannot be found.")


def test_programs_reach_the_api_and_its_errors(billing: Browser) -> None:
    for path in ("/subscriptions/me", "/nowhere", "/healthz"):
        answer = billing.call("GET", path, headers={"accept": "application/json"})
        assert answer.header("content-type").startswith("application/json"), path


def test_a_form_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with Browser(tmp_path, limits=Limits(max_request_bytes=100)) as browser:
        shown = browser.post("/sign-in", {"token": "x" * 200}, csrf=None)

    assert shown.status == 400
    assert "larger than 100 bytes" in shown.words


def test_a_failure_shows_nothing_of_itself(
    billing: Browser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError(OWNER)

    monkeypatch.setattr(billing.desk.use_cases.dashboard, "overview", broken)

    shown = billing.get("/")

    assert shown.status == 500
    assert "The server's log has the details" in shown.words
    assert OWNER not in shown.text
    assert "RuntimeError" in caplog.text
    assert OWNER not in caplog.text


def test_a_store_that_is_away_is_said_so(
    billing: Browser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def away(*_: object) -> None:
        raise Unavailable("The database is locked.")

    monkeypatch.setattr(billing.desk.use_cases.dashboard, "overview", away)

    shown = billing.get("/")

    assert shown.status == 503
    assert "Service unavailable" in shown.words
    assert "The database is locked." in caplog.text


def test_assets_have_addresses_of_their_content(browser: Browser) -> None:
    page = browser.get("/about")
    address = page.text.split('rel="stylesheet" href="')[1].split('"')[0]

    sheet = browser.get(address)

    assert sheet.status == 200
    assert sheet.header("content-type").startswith("text/css")
    assert "immutable" in sheet.header("cache-control")
    assert browser.get("/assets/000000000000/portal.css").status == 404
    assert browser.get("/assets/../app.py").status == 404


@pytest.mark.parametrize(
    ("query", "words"),
    [
        pytest.param("", "Once, at 2026-01-10 00:00 UTC Next 1 run", id="once"),
        pytest.param(
            "properties.recurrence.frequency=week&properties.recurrence.schedule.weekDays=monday"
            "&properties.recurrence.schedule.hours=9&properties.recurrence.schedule.minutes=0",
            "Every week on Monday at 09:00 UTC Next 10 runs 1 2026-01-12 09:00:00 UTC",
            id="weekly",
        ),
        pytest.param(
            "properties.recurrence.frequency=day&properties.recurrence.interval=999",
            "Repeat every: 999 is not valid",
            id="refused",
        ),
        pytest.param(
            "properties.recurrence.frequency=month&properties.recurrence.schedule.months=2"
            "&properties.recurrence.schedule.monthDays=30",
            "This schedule never occurs",
            id="never",
        ),
    ],
)
def test_a_schedule_is_previewed(billing: Browser, query: str, words: str) -> None:
    assert words in billing.part(f"{COLLECTION}/preview?{query}").words


def test_the_preview_of_a_job_goes_on_where_the_job_stands(billing: Browser) -> None:
    with_job(billing, recurrence={"frequency": "day", "count": 5})
    job = stored(billing)
    later = structs.replace(job, occurrence=3, next_at=parse_instant("2026-01-13T00:00:00Z"))
    change(billing, lambda to: to.save_job(later))
    billing.set_time("2026-01-12T12:00:00Z")
    billing.sign_in()
    query = "of=Nightly&properties.recurrence.frequency=day&properties.recurrence.interval=1"

    same = billing.part(f"{COLLECTION}/preview?{query}&properties.recurrence.count=5")
    other = billing.part(f"{COLLECTION}/preview?{query}&properties.recurrence.count=6")

    assert "Next 2 runs 1 2026-01-13 00:00:00 UTC" in same.words
    assert "Next 6 runs 1 2026-01-12 12:00:00 UTC" in other.words
