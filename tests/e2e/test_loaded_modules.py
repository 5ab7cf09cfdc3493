"""What each process of a server loads: what it does not use costs memory and time to start."""

import os
import subprocess
import sys

import pytest

SERVER, WORKER = "foliot.serve.main", "foliot.serve.worker_main"


@pytest.mark.parametrize(
    ("process", "unused"),
    [
        (SERVER, {"pycurl", "azure", "psycopg", "jinja2", "yaml", "foliot.importers"}),
        (SERVER, {"foliot.portal.app", "foliot.portal.routes", "cryptography.x509"}),
        (WORKER, {"foliot.web", "foliot.api", "foliot.app", "foliot.store", "foliot.engine"}),
        (WORKER, {"azure", "sqlite3", "starlette", "uvicorn", "cryptography", "prometheus_client"}),
    ],
    ids=["server, libraries", "server, parts", "worker, parts", "worker, libraries"],
)
def test_a_process_loads_only_what_it_uses(process: str, unused: set[str]) -> None:
    program = f"import sys, {process}; print(*sys.modules)"

    # Whoever measures coverage loads modules of its own.
    variables = {name: text for name, text in os.environ.items() if not name.startswith("COV")}
    ended = subprocess.run(  # noqa: S603  (our own)
        [sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=True
    )

    assert not unused.intersection(ended.stdout.split())
