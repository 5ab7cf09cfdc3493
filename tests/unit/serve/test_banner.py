import os

import pytest

from foliot.serve.banner import banner
from foliot.serve.first_token import SignIn
from foliot.serve.server_tls import ServerTls
from foliot.serve.settings import Settings


@pytest.mark.parametrize(("user", "is_said"), [(0, True), (1000, False)], ids=["root", "another"])
def test_a_server_that_runs_as_root_says_so(
    monkeypatch: pytest.MonkeyPatch, user: int, *, is_said: bool
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)

    text = banner(Settings(), 8080, SignIn(), ServerTls())

    assert ("\nRuns as root: " in text) is is_said


@pytest.mark.parametrize(
    ("host", "portal"),
    [("0.0.0.0", "127.0.0.1"), ("::", "[::1]"), ("10.1.2.3", "10.1.2.3")],  # noqa: S104
)
def test_the_address_of_the_portal_is_one_that_a_browser_can_open(host: str, portal: str) -> None:
    lines = banner(Settings(host=host), 8080, SignIn(), ServerTls()).splitlines()

    assert f"Portal: http://{portal}:8080/" in lines
