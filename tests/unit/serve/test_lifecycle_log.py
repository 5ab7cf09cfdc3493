import logging

import pytest

from foliot.ports.logs import log_context
from foliot.serve.lifecycle_log import logging_signals
from foliot.web.server.run import ServerHooks


def test_a_signal_is_logged_without_the_fields_of_a_request(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    called: list[str] = []
    hooks = logging_signals(
        ServerHooks(
            lambda: called.append("ready"),
            lambda: called.append("told"),
            lambda: called.append("hurried"),
        )
    )

    with log_context(request_id="1", who="ops"):
        for callback in hooks:
            callback()

    assert called == ["ready", "told", "hurried"]
    assert caplog.messages == ["Server stops", "Server stops without grace"]
