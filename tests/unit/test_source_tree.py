"""Rules for the source itself: sizes, names, and package docstrings that list their modules."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import foliot

SOURCE = Path(foliot.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
PACKAGES = [path.parent for path in MODULES if path.name == "__init__.py" and path.parent != SOURCE]
MAX_MODULE_LINES = 300
MAX_FUNCTION_LINES = 50
MAX_PARAMETERS = 7
LISTED = re.compile(r"^([a-z]\w*/?)  +\S", re.MULTILINE)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def named(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def functions() -> Iterator[tuple[str, Function]]:
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, Function):
                yield f"{named(module)}: {node.name}", node


def parameters(function: Function) -> int:
    given = function.args
    all_of_them = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return len([each for each in all_of_them if each.arg not in ("self", "cls")])


def test_no_module_is_long() -> None:
    lengths = {named(module): len(module.read_text("utf-8").splitlines()) for module in MODULES}

    assert {name: lines for name, lines in lengths.items() if lines > MAX_MODULE_LINES} == {}


def test_no_function_is_long() -> None:
    lengths = {name: (each.end_lineno or 0) - each.lineno + 1 for name, each in functions()}

    assert {name: lines for name, lines in lengths.items() if lines > MAX_FUNCTION_LINES} == {}


def test_no_function_has_many_parameters() -> None:
    counts = {name: parameters(each) for name, each in functions()}

    assert {name: count for name, count in counts.items() if count > MAX_PARAMETERS} == {}


def test_no_class_name_means_two_things() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(named(module))

    assert {name: found for name, found in places.items() if len(found) > 1} == {}


@pytest.mark.parametrize("package", PACKAGES, ids=named)
def test_a_package_lists_exactly_its_modules(package: Path) -> None:
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8"))) or ""
    modules = {each.stem for each in package.glob("*.py")} - {"__init__", "__main__"}
    rooms = {f"{each.parent.name}/" for each in package.glob("*/__init__.py")}

    assert set(LISTED.findall(text)) == modules | rooms
