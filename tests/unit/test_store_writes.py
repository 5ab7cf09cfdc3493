"""Only the use cases and the engine write to the store."""

import ast
from pathlib import Path

import foliot

SOURCES = Path(foliot.__file__).parent
WRITERS = ("app", "engine", "store")
# What else has a method `write`: files, pipes and network connections.
STREAMS = {"transport", "stdin", "stdout", "file", "opened", "told", "out"}


def writes_in(source: str) -> set[str]:
    """Return what `write` is taken from, called or not, unless it is a stream."""
    taken = [
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute) and node.attr == "write"
    ]
    return {ast.unparse(value) for value in taken if _name_of(value) not in STREAMS}


def _name_of(value: ast.expr) -> str:
    match value:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name.removeprefix("_")
        case _:
            return ""


def test_nothing_but_use_cases_and_engine_writes_to_the_store() -> None:
    found = {
        str(path.relative_to(SOURCES)): writes_in(path.read_text())
        for path in SOURCES.rglob("*.py")
        if path.relative_to(SOURCES).parts[0] not in WRITERS
    }

    assert len(found) > 100
    assert {path: writes for path, writes in found.items() if writes} == {}


def test_a_write_to_the_store_is_found_however_it_is_written() -> None:
    source = """
async def steps(self, storage, streams):
    await self._store.write(change)
    await storage.store.write(change)
    later = partial(open_store().write, change)
    self._transport.write(b"")
    file.write("")
"""

    assert writes_in(source) == {"self._store", "storage.store", "open_store()"}
