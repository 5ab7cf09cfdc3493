import pytest

from foliot.serve.habits import warn_of_root


@pytest.mark.parametrize(("user", "is_said"), [(0, True), (1000, False)], ids=["root", "another"])
def test_a_server_that_runs_as_root_says_so(
    caplog: pytest.LogCaptureFixture, user: int, *, is_said: bool
) -> None:
    warn_of_root(user)

    assert ("runs as root" in caplog.text) is is_said
