"""All ways to create a token, and who may manage it."""

from typing import Any

import pytest

from foliot.app.tokens import (
    NewToken,
    Tokens,
    add_admin_token,
    add_first_token,
    save_last_use,
)
from foliot.core.access import Principal
from foliot.core.errors import CollectionNotFound, Forbidden
from foliot.core.ids import CollectionKey
from foliot.core.instant import HOUR, Instant
from foliot.core.model.token import FROM_ENVIRONMENT, Role, Scope, Token, digest
from foliot.core.secret import Secret
from tests.support.api_client import ManualClock
from tests.support.builders import NOW
from tests.unit.app.database import Database

OWNER = Principal(Role.OWNER)
GROUP = Scope(subscription="s", group="g")
OF_GROUP = Principal(Role.OWNER, GROUP)
RANDOM = bytes(range(32))


@pytest.fixture
def tokens(database: Database) -> Tokens:
    return Tokens(database.store, ManualClock())


def stored(database: Database) -> list[Token]:
    return list(database.run(database.store.read(lambda reading: reading.tokens())))


def test_a_token_is_stored_as_its_hash_with_all_that_was_wanted(
    database: Database, tokens: Tokens
) -> None:
    wanted = NewToken("build", Role.CONTRIBUTOR, GROUP, Instant(NOW + HOUR))

    made, text = database.run(tokens.create_token(OF_GROUP, wanted, RANDOM))

    assert stored(database) == [made]
    assert made == Token(
        id=1,
        name="build",
        digest=digest(text.reveal()),
        role=Role.CONTRIBUTOR,
        scope=GROUP,
        created_at=NOW,
        expires_at=Instant(NOW + HOUR),
    )


@pytest.mark.parametrize(
    "scope",
    [Scope(), Scope(subscription="s"), Scope(subscription="s", group="other")],
    ids=["everything", "wider", "beside"],
)
def test_a_token_outside_its_creators_scope_is_refused(
    database: Database, tokens: Tokens, scope: Scope
) -> None:
    with pytest.raises(Forbidden):
        database.run(tokens.create_token(OF_GROUP, NewToken("n", Role.READER, scope), RANDOM))

    assert stored(database) == []


def test_an_owner_lists_and_revokes_tokens_within_its_scope_alone(
    database: Database, tokens: Tokens
) -> None:
    for number, scope in enumerate((Scope(), GROUP)):
        wanted = NewToken(f"n{number}", Role.READER, scope)
        database.run(tokens.create_token(OWNER, wanted, bytes([number]) * 32))

    listed = database.run(tokens.list_tokens(OF_GROUP))
    revoked = [database.run(tokens.revoke_token(OF_GROUP, number)) for number in (1, 2, 3)]

    assert [token.name for token in listed] == ["n1"]
    assert revoked == [False, True, False]
    assert [token.name for token in stored(database)] == ["n0"]


KEY = CollectionKey("S", "G", "C")
OF_KEY = Scope(subscription="s", group="g", collection="c")
SCOPES = {
    "all": Scope(),
    "subscription": Scope(subscription="s"),
    "group": GROUP,
    "collection": OF_KEY,
    "other collection": Scope(subscription="s", group="g", collection="d"),
    "other group": Scope(subscription="s", group="h"),
    "same name elsewhere": Scope(subscription="t", group="g", collection="c"),
}


@pytest.mark.parametrize(
    ("scope", "names"),
    [
        pytest.param(Scope(), ["all", "subscription", "group", "collection"], id="everything"),
        pytest.param(GROUP, ["group", "collection"], id="a group"),
        pytest.param(OF_KEY, ["collection"], id="the collection"),
    ],
)
def test_an_owner_lists_the_tokens_that_reach_a_collection_within_its_scope(
    database: Database, tokens: Tokens, scope: Scope, names: list[str]
) -> None:
    for number, (name, each) in enumerate(SCOPES.items()):
        wanted = NewToken(name, Role.READER, each)
        database.run(tokens.create_token(OWNER, wanted, bytes([number]) * 32))

    listed = database.run(tokens.list_tokens_of(Principal(Role.OWNER, scope), KEY))

    assert [token.name for token in listed] == names


def test_the_tokens_of_a_collection_outside_the_scope_are_not_listed(
    database: Database, tokens: Tokens
) -> None:
    elsewhere = Principal(Role.OWNER, Scope(subscription="s", group="h"))

    with pytest.raises(CollectionNotFound):
        database.run(tokens.list_tokens_of(elsewhere, KEY))


@pytest.mark.parametrize("role", [Role.READER, Role.CONTRIBUTOR])
def test_only_an_owner_manages_tokens(database: Database, tokens: Tokens, role: Role) -> None:
    who = Principal(role)
    calls: list[Any] = [
        tokens.list_tokens(who),
        tokens.list_tokens_of(who, KEY),
        tokens.create_token(who, NewToken("n", Role.READER), RANDOM),
        tokens.revoke_token(who, 1),
    ]

    for call in calls:
        with pytest.raises(Forbidden):
            database.run(call)


def test_the_token_of_the_environment_is_stored_once_as_owner(database: Database) -> None:
    for _ in range(2):
        older = database.run(add_admin_token(database.store, Secret("first"), NOW))

    (kept,) = stored(database)
    assert older == []
    assert (kept.name, kept.role, kept.scope) == (FROM_ENVIRONMENT, Role.OWNER, Scope())
    assert kept.digest == digest("first")


def test_earlier_tokens_of_the_environment_stay_and_are_named(database: Database) -> None:
    for text in ("first", "second"):
        database.run(add_admin_token(database.store, Secret(text), NOW))

    assert database.run(add_admin_token(database.store, Secret("third"), NOW)) == [1, 2]
    assert database.run(add_admin_token(database.store, None, NOW)) == [1, 2, 3]


def test_the_token_of_the_environment_replaces_the_same_text_with_another_name(
    database: Database, tokens: Tokens
) -> None:
    wanted = NewToken("build", Role.READER)
    _, text = database.run(tokens.create_token(OWNER, wanted, RANDOM))

    database.run(add_admin_token(database.store, text, NOW))

    (kept,) = stored(database)
    assert (kept.name, kept.role, kept.digest) == (
        FROM_ENVIRONMENT,
        Role.OWNER,
        digest(text.reveal()),
    )


def test_the_first_token_is_of_an_owner_and_its_use_is_remembered(database: Database) -> None:
    made = database.run(add_first_token(database.store, "first", NOW))
    database.run(save_last_use(database.store, made.id, Instant(NOW + HOUR)))

    (kept,) = stored(database)
    assert (kept.role, kept.digest) == (Role.OWNER, digest("first"))
    assert kept.last_used_at == NOW + HOUR
