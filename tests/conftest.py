import gc
import os
import signal
import sys
from collections.abc import Generator

import hypothesis
import pytest

from tests.support import kept_databases, postgres
from tests.support.kept_results import keep_results
from tests.support.memory_folder import memory_folder

# Whatever the environment says: or each process of a run would compile all that it loads.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Nothing that is loaded, or collected as a test, is ever garbage.
gc.disable()
# A shell that starts something in the background lets it ignore Ctrl-C, and so all that this
# starts in turn: tests that press Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples in every run, so that a failure is the change's and not the day's.
# `make test` tries the fewest, `make check` many, `make explore` others in each run.
hypothesis.settings.register_profile(
    "default", max_examples=100, derandomize=True, database=None, deadline=None, print_blob=True
)
hypothesis.settings.register_profile(
    "quick", hypothesis.settings.get_profile("default"), max_examples=25
)
hypothesis.settings.register_profile(
    "check", hypothesis.settings.get_profile("default"), max_examples=2000
)
hypothesis.settings.register_profile("explore", max_examples=20_000, database=None, deadline=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_configure(config: pytest.Config) -> None:
    keep_results(config.cache.mkdir("templates"))
    if not hasattr(config, "workerinput"):
        if memory_folder():
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", memory_folder())
        postgres.prepare()


def pytest_unconfigure(config: pytest.Config) -> None:
    kept_databases.drop_all()
    if not hasattr(config, "workerinput"):
        postgres.tidy_up()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    gc.freeze()
    gc.set_threshold(10_000)
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail what would be skipped where everything must be installed."""
    report = yield
    if report.skipped and os.environ.get("CI") == "true" and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and CI=true: {report.longrepr}"
    return report
