"""Each change through a use case is one log line: what, in which collection, which job."""

import logging
from typing import Any

import pytest
from msgspec.structs import replace

from foliot.app.tokens import NewToken
from foliot.app.use_cases import UseCases
from foliot.core.access import Principal
from foliot.core.errors import CollectionNotFound, Forbidden
from foliot.core.ids import CollectionId
from foliot.core.model.collection import CollectionState
from foliot.core.model.job import JobState
from foliot.core.model.token import Role, Scope
from foliot.core.recurrence import Cron, Exclusion, Recurrence, parse_dates
from foliot.core.rules.lifecycle import Revision
from foliot.ports.logs import collection_text, log_context
from tests.support.api_client import ManualClock
from tests.support.builders import a_collection, a_group, a_job, a_key
from tests.unit.app.database import Database

OWNER = Principal(Role.OWNER)
KEY = a_key()
PLACE = collection_text(KEY)


@pytest.fixture
def use_cases(database: Database) -> UseCases:
    return UseCases.of(database.store, ManualClock())


def changes_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.name == "foliot.changes"]


async def save_job(use_cases: UseCases) -> Any:
    definition = a_job(CollectionId(1)).definition
    return await use_cases.jobs.save_job(OWNER, KEY, "j", lambda _: Revision(definition, None))


async def save_collection(use_cases: UseCases) -> Any:
    collection = a_collection()
    return await use_cases.collections.save_collection(
        OWNER, KEY, lambda _: collection, must_exist=False
    )


def test_changes_of_collections_jobs_and_runs_are_logged(
    database: Database, use_cases: UseCases, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    jobs, collections = use_cases.jobs, use_cases.collections

    async def steps() -> None:
        await save_collection(use_cases)
        await save_job(use_cases)
        await save_job(use_cases)
        await use_cases.runs.run_job(OWNER, KEY, "j", "a" * 32)
        await jobs.set_job_state(OWNER, KEY, "j", JobState.DISABLED)
        await jobs.set_job_state(OWNER, KEY, "j", JobState.ENABLED)
        await collections.set_collection_state(OWNER, KEY, CollectionState.DISABLED)
        await jobs.delete_job(OWNER, KEY, "j")
        await collections.delete_collection(OWNER, KEY)

    with log_context(request_id="1", who="ops"):
        database.run(steps())

    assert changes_in(caplog) == [
        f"Collection created collection={PLACE} state=Enabled request_id=1 who=ops",
        f"Job created collection={PLACE} job=j state=enabled request_id=1 who=ops",
        f"Job updated collection={PLACE} job=j state=enabled request_id=1 who=ops",
        f"Run requested collection={PLACE} job=j tag={'a' * 32} request_id=1 who=ops",
        f"Job disabled collection={PLACE} job=j request_id=1 who=ops",
        f"Job enabled collection={PLACE} job=j request_id=1 who=ops",
        f"Collection updated collection={PLACE} state=Disabled request_id=1 who=ops",
        f"Job deleted collection={PLACE} job=j request_id=1 who=ops",
        f"Collection deleted collection={PLACE} request_id=1 who=ops",
    ]


def test_changes_of_calendars_are_logged_with_the_number_of_their_jobs(
    database: Database, use_cases: UseCases, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    calendars = use_cases.calendars
    rule = Recurrence(cron=Cron("@daily"), exclude=Exclusion(calendars=("h",)))
    definition = replace(a_job(CollectionId(1)).definition, recurrence=rule)

    async def steps() -> None:
        await save_collection(use_cases)
        await calendars.save_calendar(OWNER, KEY, "h", ())
        await use_cases.jobs.save_job(OWNER, KEY, "j", lambda _: Revision(definition))
        await calendars.save_calendar(OWNER, KEY, "H", (parse_dates("2026-12-25"),))
        await use_cases.jobs.delete_job(OWNER, KEY, "j")
        await calendars.delete_calendar(OWNER, KEY, "h")

    database.run(steps())

    assert [line for line in changes_in(caplog) if "Calendar" in line] == [
        f"Calendar created collection={PLACE} calendar=h jobs=0",
        f"Calendar updated collection={PLACE} calendar=h jobs=1",
        f"Calendar deleted collection={PLACE} calendar=h",
    ]


def test_changes_of_resource_groups_are_logged(
    database: Database, use_cases: UseCases, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    groups, group, key = use_cases.resource_groups, a_group(), (a_group().subscription, "prod")

    async def steps() -> None:
        for _ in range(2):
            await groups.save_group(OWNER, *key, lambda _: group, must_exist=False)
        await save_collection(use_cases)
        await groups.delete_group(OWNER, *key)

    database.run(steps())

    place = f"{group.subscription}/Prod"
    assert changes_in(caplog) == [
        f"Resource group created resource_group={place}",
        f"Resource group updated resource_group={place}",
        f"Collection created collection={PLACE} state=Enabled",
        f"Resource group deleted resource_group={place} collections=1",
    ]


def test_tokens_are_logged_by_id_name_role_and_scope(
    database: Database, use_cases: UseCases, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    tokens, group = use_cases.tokens, Scope(subscription="s", group="g")

    _, text = database.run(
        tokens.create_token(OWNER, NewToken("build", Role.READER, group), b"r" * 32)
    )
    database.run(tokens.create_token(OWNER, NewToken("all", Role.OWNER), b"s" * 32))
    database.run(tokens.revoke_token(OWNER, 1))
    database.run(tokens.revoke_token(OWNER, 1))

    assert changes_in(caplog) == [
        "Token created token=1 token_name=build role=Reader scope=s/g",
        "Token created token=2 token_name=all role=Owner scope=/",
        "Token revoked token=1",
    ]
    assert text.reveal() not in caplog.text


def test_a_change_that_is_refused_is_not_logged(
    database: Database, use_cases: UseCases, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    with pytest.raises(CollectionNotFound):
        database.run(save_job(use_cases))
    with pytest.raises(Forbidden):
        database.run(use_cases.collections.delete_collection(Principal(Role.READER), KEY))

    assert changes_in(caplog) == []


def test_a_job_and_its_new_collection_are_logged_as_two_changes(
    database: Database, use_cases: UseCases, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    definition = a_job(CollectionId(1)).definition

    database.run(
        use_cases.jobs.create_job_and_collection(
            OWNER, KEY, lambda _: a_collection(), "j", lambda _: Revision(definition, None)
        )
    )

    assert changes_in(caplog) == [
        f"Collection created collection={PLACE} state=Enabled",
        f"Job created collection={PLACE} job=j state=enabled",
    ]
