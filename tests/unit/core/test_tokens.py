import pytest

from foliot.core.errors import Invalid
from foliot.core.instant import DAY, HOUR
from foliot.core.model.token import (
    Role,
    Token,
    check_token_name,
    digest,
    has_expired,
    is_sendable,
    parse_expiry,
    parse_role,
    token_text,
)
from tests.support.builders import at

NOW = at("2026-01-10T00:00:00Z")


def test_a_token_can_be_sent_and_is_recognised() -> None:
    text = token_text(bytes(range(32)))

    assert text == "foliot_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
    assert is_sendable(text)


def test_what_is_kept_of_a_token_does_not_show_it() -> None:
    assert digest("foliot_a") != digest("foliot_b")
    assert len(digest("foliot_a")) == 32


@pytest.mark.parametrize("text", ["", "two words", "tab\there", "naïve", "=", "a\n"])
def test_what_cannot_stand_in_a_header_is_no_token(text: str) -> None:
    assert not is_sendable(text)


def test_a_role_is_read_in_any_letter_case() -> None:
    assert parse_role("owner") is Role.OWNER


def test_what_is_no_role_is_refused() -> None:
    with pytest.raises(Invalid, match="one of Reader, Contributor, Owner"):
        parse_role("root")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90d", NOW + 90 * DAY),
        ("12h", NOW + 12 * HOUR),
        ("2026-02-01", at("2026-02-01")),
        ("2026-02-01T08:00:00+01:00", at("2026-02-01T07:00:00Z")),
    ],
)
def test_an_expiry_is_a_period_or_a_moment(text: str, expected: int) -> None:
    assert parse_expiry(text, NOW) == expected


@pytest.mark.parametrize("text", ["0d", "soon", "2026-01-09", "5w", "", "-1d"])
def test_an_expiry_that_is_past_or_unclear_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="a period such as 90d"):
        parse_expiry(text, NOW)


def test_a_token_is_good_until_it_expires() -> None:
    token = Token(name="t", digest=b"", role=Role.READER, created_at=NOW, expires_at=NOW)
    forever = Token(name="t", digest=b"", role=Role.READER, created_at=NOW)

    assert has_expired(token, NOW)
    assert not has_expired(token, at("2026-01-09"))
    assert not has_expired(forever, at("9999-01-01"))


@pytest.mark.parametrize("name", ["", " a", "a\nb", "x" * 101, "FOLIOT_ADMIN_TOKEN"])
def test_a_name_that_would_mislead_is_refused(name: str) -> None:
    with pytest.raises(Invalid):
        check_token_name(name)


def test_a_name_may_hold_blanks() -> None:
    assert check_token_name("nightly build") == "nightly build"
