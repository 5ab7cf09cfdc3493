"""Conversations of old clients, as files.

A file in the directory of a client has `source` (where the client's code is public), the `headers`
of its requests, and `exchanges`: a request, the status, and what the client reads in the answer.
`happened` puts attempts into the history of a job before a request. `same` in place of what is
read stands for what was last read at this address.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.certificates import a_pfx

_PFX_PASSWORD = "terraform"  # noqa: S105  (the one in the conversations)


class Conversation(NamedTuple):
    """A file of exchanges."""

    client: str
    source: list[str]
    headers: dict[str, str]
    exchanges: list[dict[str, Any]]


def all_conversations() -> dict[str, Path]:
    """Return the files by client and name."""
    files = sorted(Path(__file__).parent.glob("*/*.json"))
    return {f"{file.parent.name}: {file.stem}": file for file in files}


def read_conversation(file: Path) -> Conversation:
    """Read a file; a client certificate is put in where it asks for one."""
    pfx = a_pfx(password=_PFX_PASSWORD)
    text = file.read_text("utf-8").replace("{pfx}", pfx.text)
    return Conversation(
        client=file.parent.name, **json.loads(text.replace("{thumbprint}", pfx.thumbprint))
    )
