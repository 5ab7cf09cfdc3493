import pytest
from hypothesis import given
from hypothesis import strategies as st

from foliot.core.credentials import (
    is_credential_header,
    masked_headers,
    masked_places,
    masked_uri,
)


@pytest.mark.parametrize(
    "name",
    [
        "Authorization",
        "authorization",
        "AUTHORIZATION",
        "Proxy-Authorization",
        "X-Authorization-Extra",
        "Cookie",
        "X-Api-Key",
        "x_api_key",
        "apikey",
        "ApiKey",
        "Ocp-Apim-Subscription-Key",
        "x-functions-key",
        "aeg-sas-key",
        "aeg-sas-token",
        "X-Auth-Token",
        "X-Auth",
        "PRIVATE-TOKEN",
        "X-Gitlab-Token",
        "xauthtoken",
        "X-Hub-Signature-256",
        "X-Client-Secret",
        "accessToken",
        "X-Amz-Credential",
        "X-Session-Id",
    ],
)
def test_a_header_with_a_telling_name_is_a_credential(name: str) -> None:
    assert is_credential_header(name)


@pytest.mark.parametrize(
    "name",
    ["Accept", "Content-Type", "User-Agent", "X-Author", "X-Authority", "X-Monkey", "X-Request-Id"],
)
def test_other_headers_are_none(name: str) -> None:
    assert not is_credential_header(name)


def test_headers_keep_their_names_and_order() -> None:
    headers = {"Accept": "text/plain", "X-Api-Key": "k-1", "X-Other": "1"}

    assert masked_headers(headers) == {"Accept": "text/plain", "X-Api-Key": "***", "X-Other": "1"}


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("https://h/p?q=1#top", "https://h/p?q=1#top"),
        ("https://u:pw@h:8/p", "https://***@h:8/p"),
        ("https://u@h", "https://***@h"),
        ("https://u:p@w@h/", "https://***@h/"),
        ("https://:pw@h/", "https://***@h/"),
        ("https://h/a@b?x=c@d", "https://h/a@b?x=c@d"),
        ("https://h/?sv=1&sig=abc%3D&sr=b", "https://h/?sv=1&sig=***&sr=b"),
        ("https://h/?SIG=abc", "https://h/?SIG=***"),
        ("https://h/?%73ig=abc", "https://h/?%73ig=***"),
        ("https://h/?code=abc", "https://h/?code=***"),
        ("https://h/?api-key=a;token=b", "https://h/?api-key=***;token=***"),
        ("https://h/?X-Amz-Signature=ab&a=b", "https://h/?X-Amz-Signature=***&a=b"),
        ("https://h/?x=1?sig=b", "https://h/?x=1?sig=***"),
        ("https://h/?sig=a?b&c=d", "https://h/?sig=***&c=d"),
        ("https://h/?sig=a?code=b&c=d", "https://h/?sig=***&c=d"),
        ("https://h/#access_token=ab", "https://h/#access_token=***"),
        ("https://h/?sig=", "https://h/?sig=***"),
        ("//u:pw@h/", "//***@h/"),
        ("not an address", "not an address"),
        ("", ""),
    ],
)
def test_an_address_is_shown_without_its_credentials(uri: str, shown: str) -> None:
    assert masked_uri(uri) == shown
    assert masked_uri(shown) == shown


@pytest.mark.parametrize(
    ("uri", "places"),
    [
        ("https://***@h/?sig=***&x=***", ["the user", "sig"]),
        ("https://u:***@h/", ["the user"]),
        ("https://u:pw@h/?sig=abc***", []),
        ("https://h/***", []),
    ],
)
def test_a_mask_that_was_sent_back_is_found(uri: str, places: list[str]) -> None:
    assert masked_places(uri) == places


@given(user=st.from_regex(r"[A-Za-z0-9:@._-]{8,20}", fullmatch=True), rest=st.text("/?#&=;@a"))
def test_no_user_is_ever_shown(user: str, rest: str) -> None:
    assert user not in masked_uri(f"https://{user}@host.example/{rest}")
