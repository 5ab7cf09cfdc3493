"""What a package index shows of Foliot: README.md and links, with addresses that lead somewhere.

A build hook of hatchling. Whoever publishes Foliot gives FOLIOT_PROJECT_URL, the address of its
repository; files of this version are then below `blob/v…` there, and pictures below `raw/v…`.
Without it there are no links and no pictures, since none would be found.
"""

import os
import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

VARIABLE = "FOLIOT_PROJECT_URL"
_ADDRESS = re.compile(r"https?://[^\s/?#]+(?:/[^\s?#]*)?")
_PICTURE = re.compile(r"!\[([^\]]*)\]\((?!https?:)([^)\s]+)\)")
_LINK = re.compile(r"\[((?:!\[[^\]]*\]\([^)]*\)|[^\[\]])*)\]\((?!https?:|#)([^)\s]+)\)")
_FROM_SOURCE = re.compile(r"## A job that runs, in two minutes\n.*?(?=\n## )", re.DOTALL)
_FROM_PACKAGE = """\
## A job that runs, in two minutes

```sh
foliot serve  # prints its address, a link to the portal, and a token
# on the same machine, in another terminal:
foliot job create hello --every 1m --url https://example.com
foliot job run hello --wait
foliot job history hello --follow
```

`foliot --help` lists the commands, `foliot serve --help` the settings. The source distribution has
the documents, in `docs`.
"""


class PackageMetadata(MetadataHookInterface):
    """Adds the long description and the links."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add what `pyproject.toml` calls dynamic."""
        url = os.environ.get(VARIABLE, "").rstrip("/")
        if url and not _ADDRESS.fullmatch(url):
            raise ValueError(f"{VARIABLE} is {url!r}; give the https:// address of the repository.")
        version = metadata["version"]
        text = (Path(self.root) / "README.md").read_text("utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": long_description(text, url, version),
        }
        metadata["urls"] = project_urls(url, version)


def project_urls(url: str, version: str) -> dict[str, str]:
    """Return the links beside the description."""
    if not url:
        return {}
    return {
        "Homepage": url,
        "Documentation": f"{url}/blob/v{version}/docs/README.md",
        "Source": url,
        "Changelog": f"{url}/blob/v{version}/CHANGELOG.md",
        "Issues": f"{url}/issues",
    }


def long_description(readme: str, url: str, version: str) -> str:
    """Return the text of README.md as somebody reads it who has a package and no clone."""
    text, found = _FROM_SOURCE.subn(lambda _: _FROM_PACKAGE, readme)
    if found != 1:
        raise ValueError("README.md has another heading for its first job.")
    if url:
        text = _PICTURE.sub(rf"![\1]({url}/raw/v{version}/\2)", text)
        return _LINK.sub(rf"[\1]({url}/blob/v{version}/\2)", text)
    return _LINK.sub(r"\1", _PICTURE.sub(r"\1", text))
