import json
import os
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.contract.sdk.models import START
from tests.support import npm
from tests.support.http_target import TOKEN, target
from tests.support.server import DEADLINE, running

_HERE = Path(__file__).parent
_FILES = ("package.json", "package-lock.json")


@pytest.fixture(scope="session")
def subscription() -> str:
    return str(uuid4())


@pytest.fixture(scope="session")
def returned(tmp_path_factory: pytest.TempPathFactory, subscription: str) -> dict[str, Any]:
    """Return what each operation of the library returned, by the name of the step."""
    installed = _installed()
    data = tmp_path_factory.mktemp("foliot")
    options = ("--tls", "auto")
    with target() as (uri, _), running(data, *options, NO_ENGINE="0", ADMIN_TOKEN=TOKEN) as server:
        settings = {
            "url": f"https://localhost:{server.port}",
            "token": TOKEN,
            "subscription": subscription,
            "start": START.isoformat(),
            "target": uri,
        }
        done = subprocess.run(  # noqa: S603  (our own command)
            ["node", _HERE / "every_operation.js", json.dumps(settings)],  # noqa: S607
            cwd=installed,
            env=os.environ | {"NODE_EXTRA_CA_CERTS": str(data / "tls" / "ca.pem")},
            capture_output=True,
            text=True,
            timeout=DEADLINE * 4,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _installed() -> Path:
    """Install exactly what the lock file names, into a folder of its own."""
    digest = sha256(b"".join((_HERE / name).read_bytes() for name in _FILES)).hexdigest()
    folder = npm.CACHE / f"azure-arm-scheduler-{digest[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    for name in _FILES:
        # In one step: another worker may be installing from the file.
        copy = shutil.copyfile(_HERE / name, folder / f"{name}.{os.getpid()}")
        copy.replace(folder / name)
    npm.install(folder, "ci", makes=folder / "node_modules" / ".package-lock.json")
    return folder
