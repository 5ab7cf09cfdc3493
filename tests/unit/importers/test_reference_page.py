"""The file in the reference page is one that an import could have written."""

import re
from pathlib import Path
from typing import Any

from foliot.cli.imported_jobs import check_import
from foliot.core.ids import CollectionKey
from foliot.core.yaml_text import YAML_WORDS, parse_yaml
from foliot.importers import ImportedCollection, ImportedJob, ImportResult
from tests.unit.importers.support import NOW

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "import.md"


def test_the_file_in_the_page_is_accepted() -> None:
    block = re.search(r"^```yaml\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert block
    documents: list[Any] = parse_yaml(block[1].encode(), YAML_WORDS)
    ((collection, jobs),) = ((each["collection"], each["jobs"]) for each in documents)
    key = CollectionKey(*(collection.pop(part) for part in ("subscription", "group", "name")))
    found = tuple(
        ImportedJob(origin="page", name=name, properties=each) for name, each in jobs.items()
    )

    checked = check_import(
        ImportResult(collections=(ImportedCollection(key=key, attributes=collection, jobs=found),)),
        NOW,
    )

    assert [each.job.name for each in checked.jobs] == ["backup"]
