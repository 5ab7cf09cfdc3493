"""The documents that an import writes: one for each collection, with its jobs by name."""

from collections.abc import Iterable

from foliot.core.json_text import Json
from foliot.core.yaml_text import write_yaml
from foliot.importers.model import ImportedCollection


def write_collections(collections: Iterable[ImportedCollection]) -> str:
    """Write collections as YAML documents."""
    documents = [_document(each) for each in collections]
    return write_yaml(documents) if documents else ""


def _document(collection: ImportedCollection) -> Json:
    key = collection.key
    jobs: dict[str, Json] = {each.name: each.properties for each in collection.jobs}
    return {
        "collection": {
            "subscription": key.subscription,
            "group": key.group,
            "name": key.name,
            **collection.attributes,
        },
        "jobs": jobs,
    }
