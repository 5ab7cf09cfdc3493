import pytest
from msgspec.structs import replace

from foliot.core.errors import Conflict
from foliot.core.instant import Instant
from foliot.core.model.token import Role, Scope, Token
from tests.support.builders import NOW, a_token
from tests.support.store_harness import Open, written

FULL = Token(
    name="Ops",
    digest=bytes(range(32)),
    role=Role.OWNER,
    scope=Scope(subscription="sub", group="group", collection="name"),
    created_at=NOW,
    expires_at=Instant(NOW + 1),
    last_used_at=Instant(NOW + 2),
)


@pytest.mark.parametrize("token", [a_token(), FULL], ids=["sparse", "full"])
def test_a_token_comes_back_by_its_digest(store: Open, token: Token) -> None:
    added = written(store, lambda to: to.add_token(token))

    assert added == replace(token, id=added.id)
    assert added.id != 0
    assert written(store, lambda to: to.token(token.digest)) == added


def test_a_digest_matches_as_a_whole(store: Open) -> None:
    written(store, lambda to: to.add_token(a_token(digest=b"abcd")))

    assert written(store, lambda to: to.token(b"abc")) is None
    assert written(store, lambda to: to.token(b"ABCD")) is None


def test_tokens_are_listed_in_the_order_they_were_made(store: Open) -> None:
    added = [
        written(store, lambda to, name=name: to.add_token(a_token(name))) for name in ("z", "a")
    ]

    assert written(store, lambda to: to.tokens()) == added


def test_a_token_is_deleted_once(store: Open) -> None:
    token = written(store, lambda to: to.add_token(a_token()))

    assert written(store, lambda to: to.delete_token(token.id))
    assert not written(store, lambda to: to.delete_token(token.id))
    assert written(store, lambda to: to.tokens()) == []


def test_a_token_remembers_when_it_was_last_used(store: Open) -> None:
    token = written(store, lambda to: to.add_token(a_token()))

    written(store, lambda to: to.touch_token(token.id, Instant(NOW + 5)))

    expected = replace(token, last_used_at=Instant(NOW + 5))
    assert written(store, lambda to: to.token(token.digest)) == expected


def test_a_second_token_of_a_digest_is_refused(store: Open) -> None:
    written(store, lambda to: to.add_token(a_token("one", digest=b"same")))

    with pytest.raises(Conflict, match="A token with this secret exists already"):
        written(store, lambda to: to.add_token(a_token("two", digest=b"same")))


def test_a_session_that_ended_is_known_until_its_time_is_over(store: Open) -> None:
    until, later = Instant(NOW + 10), Instant(NOW + 11)
    for _ in range(2):
        written(store, lambda to: to.end_session(b"left", until, NOW))

    assert written(store, lambda to: to.has_session_ended(b"left"))
    assert not written(store, lambda to: to.has_session_ended(b"LEFT"))
    written(store, lambda to: to.end_session(b"another", until, until))
    assert written(store, lambda to: to.has_session_ended(b"left"))
    written(store, lambda to: to.end_session(b"another", later, later))
    assert not written(store, lambda to: to.has_session_ended(b"left"))
