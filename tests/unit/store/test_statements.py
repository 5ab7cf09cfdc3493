"""Statements by name: each database has every one of them, once."""

from pathlib import Path
from typing import get_args

import pytest

from foliot.core.model.job import Job
from foliot.store.sql.columns import JOB
from foliot.store.sql.statements import Statement, read_statements, statements_of

OWN = read_statements("foliot.store.sqlite", "queries.sql")


def package(folder: Path, statements: dict[str, str]) -> str:
    """Make a package with these statements; return its name."""
    text = "".join(
        f"-- name: {name}\n-- Its purpose.\n{text}\n\n" for name, text in statements.items()
    )
    made = folder / f"database_of_{folder.name}"
    made.mkdir()
    (made / "__init__.py").touch()
    (made / "queries.sql").write_text(text)
    return made.name


def test_a_database_adds_its_own_statements_to_the_shared_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    own = {name: f"own {name}" for name in OWN}

    found = statements_of(package(tmp_path, own), extra={"planned_run"})

    assert found.keys() == {*get_args(Statement), "planned_run"}
    assert found["due_jobs"] == "own due_jobs"
    assert found["count_jobs"].startswith("SELECT job_count FROM collection")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("due_jobs", None, id="missing"),
        pytest.param("collection", "SELECT 1", id="double"),
        pytest.param("unknown", "SELECT 1", id="unused"),
    ],
)
def test_a_statement_that_is_missing_double_or_unused_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str | None
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    changed = {each: sql for each, sql in (OWN | {name: text}).items() if sql is not None}

    with pytest.raises(LookupError, match=f"too few or too many statements: {name}$"):
        statements_of(package(tmp_path, changed), extra={"planned_run"})


def test_the_columns_of_a_job_are_its_fields_with_the_definition_sealed() -> None:
    assert {*JOB} - {"sealed"} == {*Job.__struct_fields__} - {"definition"}


@pytest.mark.parametrize("name", ["located_job", "jobs", "coming_jobs"])
def test_a_job_is_selected_with_all_its_columns_in_order(name: str) -> None:
    columns = ", ".join(f"job.{column}" for column in JOB[:-1])

    assert columns in statements_of("foliot.store.sqlite", extra={"planned_run"})[name]
