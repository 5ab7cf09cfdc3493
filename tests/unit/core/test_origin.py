"""One place has one origin, however it is written."""

import pytest

from foliot.core.target_origin import origin_of_uri


@pytest.mark.parametrize(
    "uri",
    [
        "http://example.com/a",
        "HTTP://EXAMPLE.com?b",
        "http://example.com.:80#c",
        "http://user:pw@example.com:080/",
        "http://example.com:00000080\\x",
        "http://ex%61mple.com:/",
        "http://\uff45xample.com/",
    ],
)
def test_a_name_has_one_origin(uri: str) -> None:
    assert origin_of_uri(uri) == "http://example.com:80"


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "0x7f.1", "0177.0.0.01", "2130706433", "0x7f000001", "[::ffff:7f00:1]"],
)
def test_an_address_has_one_origin(host: str) -> None:
    assert origin_of_uri(f"https://{host}/") == "https://127.0.0.1:443"


@pytest.mark.parametrize(
    ("uri", "origin"),
    [
        ("https://[2001:DB8:0::1]:8443/", "https://2001:db8::1:8443"),
        ("http://1.2.3.4.5/", "http://1.2.3.4.5:80"),
        ("http://256.1.1.1/", "http://256.1.1.1:80"),
        ("http://1.2.3.256/", "http://1.2.3.256:80"),
        ("http://08.1/", "http://08.1:80"),
        ("http://0x.1/", "http://0.0.0.1:80"),
        ("http://h:99999/", "http://h:99999"),
        ("ftp://h/", "ftp://h:"),
        ("NOTHING", "://:"),
        ("http://[::1/", "http://[::1"),
    ],
)
def test_a_text_that_is_no_uri_is_its_own_origin(uri: str, origin: str) -> None:
    assert origin_of_uri(uri) == origin
