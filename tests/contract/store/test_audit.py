"""The audit log: what every store must keep of it."""

from typing import Any

import pytest
from msgspec import structs

from foliot.core.access import scope_of
from foliot.core.instant import SECOND, Instant
from foliot.core.model.audit import (
    AuditAction,
    AuditDetails,
    AuditEntry,
    AuditFilter,
    AuditKind,
    AuditSubject,
    Author,
    CalendarSnapshot,
    CollectionSnapshot,
    GroupSnapshot,
    JobSnapshot,
    TokenSnapshot,
)
from foliot.core.model.collection import CollectionState, Quota, Sku
from foliot.core.model.job import JobState
from foliot.core.model.token import Role, Scope
from foliot.ports.store import AuditPosition
from tests.support.builders import DEFINITION, NOW, SUBSCRIPTION, a_key
from tests.support.store_harness import Open, written

FULL = AuditEntry(
    at=NOW,
    author=Author(
        name="Räder; 'ops'",
        token_id=3,
        role=Role.OWNER,
        address="2001:db8::1",
        request_id="a-request",
    ),
    action=AuditAction.UPDATED,
    subject=AuditSubject(
        kind=AuditKind.JOB,
        subscription=SUBSCRIPTION,
        group="Grüppe",
        collection="Billing",
        name="Nightly",
    ),
    before=JobSnapshot(JobState.DISABLED, DEFINITION),
    after=JobSnapshot(JobState.ENABLED, DEFINITION),
    details=AuditDetails(tag="t", runs=1, since=NOW, until=NOW, jobs=2, names=("a", "b")),
    is_cut=True,
)
SNAPSHOTS = [
    JobSnapshot(JobState.FAULTED, DEFINITION),
    CollectionSnapshot(
        location="West US",
        tags={"a": "ä"},
        sku=Sku.FREE,
        state=CollectionState.SUSPENDED,
        quota=Quota(max_job_count=3),
    ),
    GroupSnapshot(None, {"a": "b"}),
    CalendarSnapshot(("2026-12-25", "2026-12-31/2027-01-01")),
    TokenSnapshot(3, Role.READER, Scope(subscription="s"), NOW),
]


def an_entry(second: int = 0, **fields: Any) -> AuditEntry:
    key = a_key()
    subject = AuditSubject(
        kind=AuditKind.JOB,
        subscription=key.subscription,
        group=key.group,
        collection=key.name,
        name="Nightly",
    )
    given = {name: fields.pop(name) for name in subject.__struct_fields__ if name in fields}
    who = fields.pop("who", "ann")
    return AuditEntry(
        at=Instant(NOW + second * SECOND),
        author=Author(name=who),
        action=fields.pop("action", AuditAction.CREATED),
        subject=structs.replace(subject, **given),
        **fields,
    )


def found(
    store: Open, scope: Scope | None = None, wanted: AuditFilter | None = None, **page: Any
) -> list[AuditEntry]:
    entries = written(
        store, lambda to: to.audit_entries(scope or Scope(), wanted or AuditFilter(), **page)
    )
    return [structs.replace(each, id=0) for each in entries]


def add(store: Open, *entries: AuditEntry) -> None:
    written(store, lambda to: to.add_audit_entries(*entries))


def test_an_entry_comes_back_as_it_was(store: Open) -> None:
    add(store, FULL, an_entry(-1))

    assert found(store) == [FULL, an_entry(-1)]


@pytest.mark.parametrize("snapshot", SNAPSHOTS, ids=lambda each: type(each).__name__)
def test_a_snapshot_comes_back_as_it_was(store: Open, snapshot: Any) -> None:
    add(store, an_entry(before=snapshot, after=snapshot))

    assert found(store) == [an_entry(before=snapshot, after=snapshot)]


def test_entries_come_newest_first_and_page_by_page(store: Open) -> None:
    entries = [an_entry(second, name=f"j{second}") for second in (0, 1, 1, 2)]
    add(store, *entries)

    pages: list[str] = []
    after: AuditPosition | None = None
    while rows := written(
        store,
        lambda to, after=after: to.audit_entries(Scope(), AuditFilter(), after=after, limit=1),
    ):
        after = AuditPosition(rows[0].at, rows[0].id)
        pages.append(f"{rows[0].subject.name}")

    assert pages == ["j2", "j1", "j1", "j0"]


def test_entries_about_tokens_can_be_left_out(store: Open) -> None:
    add(store, an_entry(name="job"), an_entry(kind=AuditKind.TOKEN, name="token"))
    key = a_key()
    inside = AuditFilter(subscription=key.subscription, group=key.group, collection=key.name)

    for wanted in (AuditFilter(), inside):
        without = found(store, wanted=structs.replace(wanted, has_tokens=False))
        assert len(found(store, wanted=wanted)) == 2
        assert [each.subject.name for each in without] == ["job"]


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        pytest.param(AuditFilter(since=Instant(NOW + SECOND)), ["c", "b"], id="since"),
        pytest.param(AuditFilter(until=Instant(NOW + SECOND)), ["a"], id="until, not included"),
        pytest.param(AuditFilter(who="BOB"), ["b"], id="author, in any letter case"),
        pytest.param(AuditFilter(who="bo"), [], id="a part of an author"),
        pytest.param(AuditFilter(action=AuditAction.DELETED), ["c"], id="action"),
        pytest.param(AuditFilter(kind=AuditKind.CALENDAR), ["c"], id="kind"),
        pytest.param(AuditFilter(subscription=SUBSCRIPTION.upper()), ["c", "b", "a"], id="sub"),
        pytest.param(AuditFilter(group="TEST"), ["b"], id="group"),
        pytest.param(AuditFilter(collection="BILLING"), ["c", "a"], id="collection"),
        pytest.param(AuditFilter(collection="billing", name="A"), ["a"], id="job"),
        pytest.param(AuditFilter(collection="billing", who="carl"), ["c"], id="of one by one"),
        pytest.param(AuditFilter(collection="billing", name="a", who="bob"), [], id="none"),
        pytest.param(AuditFilter(name="b"), ["b"], id="name alone"),
    ],
)
def test_a_filter_finds_its_entries(store: Open, wanted: AuditFilter, names: list[str]) -> None:
    add(
        store,
        an_entry(0, name="a"),
        an_entry(1, name="b", who="Bob", group="Test", collection="Other"),
        an_entry(2, name="c", who="carl", action=AuditAction.DELETED, kind=AuditKind.CALENDAR),
    )

    assert [each.subject.name for each in found(store, wanted=wanted)] == names


@pytest.mark.parametrize(
    ("scope", "names"),
    [
        pytest.param(Scope(), ["token", "group", "job"], id="everything"),
        pytest.param(Scope(subscription="other"), [], id="another subscription"),
        pytest.param(
            Scope(subscription=SUBSCRIPTION, group="prod"), ["group", "job"], id="a group"
        ),
        pytest.param(scope_of(a_key()), ["job"], id="a collection"),
    ],
)
def test_a_scope_shows_what_lies_in_it_alone(store: Open, scope: Scope, names: list[str]) -> None:
    nowhere = {"subscription": None, "group": None, "collection": None}
    add(
        store,
        an_entry(0, name="job"),
        an_entry(1, kind=AuditKind.GROUP, collection=None, name="group"),
        an_entry(2, kind=AuditKind.TOKEN, name="token", **nowhere),
    )
    entries = written(store, lambda to: to.audit_entries(Scope(), AuditFilter()))

    seen = [
        each.subject.name
        for each in entries
        if written(store, lambda to, each=each: to.audit_entry(scope, each.id)) is not None
    ]

    assert [each.subject.name for each in found(store, scope)] == seen == names


def test_old_entries_are_removed_a_few_at_a_time(store: Open) -> None:
    add(store, *(an_entry(second) for second in range(5)))
    last = AuditPosition(Instant(NOW + 4 * SECOND), 0)

    removed = [written(store, lambda to: to.trim_audit(last, 3)) for _ in range(3)]

    assert removed == [3, 1, 0]
    assert found(store) == [an_entry(4)]


def test_the_newest_entries_stay_if_there_are_too_many(store: Open) -> None:
    add(store, *(an_entry(second) for second in (0, 1, 1, 2)))

    last = written(store, lambda to: to.newest_surplus_audit(2))
    assert last is not None
    removed = written(store, lambda to: to.trim_audit(last, 10))

    assert removed == 2
    assert found(store) == [an_entry(2), an_entry(1)]
    assert written(store, lambda to: to.newest_surplus_audit(2)) is None


def test_names_with_quotes_and_line_ends_stay_values(store: Open) -> None:
    hostile = "a\n2026-01-01 deleted job by owner'); DROP TABLE audit; --"
    add(store, an_entry(who=hostile, name=hostile))

    assert found(store, wanted=AuditFilter(who=hostile)) == [an_entry(who=hostile, name=hostile)]
