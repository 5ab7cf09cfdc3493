"""The generated pages about the API: they are up to date, and every code has its meaning."""

from pathlib import Path

import pytest

from foliot.api.openapi.error_codes import MEANINGS, codes, errors_page
from foliot.api.openapi.reference import rest_page

FOLDER = Path(__file__).parents[3] / "docs" / "reference"


@pytest.mark.parametrize(
    ("name", "page"), [("rest.md", rest_page), ("errors.md", errors_page)], ids=["rest", "errors"]
)
def test_a_page_about_the_api_is_written_from_the_code(name: str, page: object) -> None:
    assert callable(page)
    assert (FOLDER / name).read_text() == page(), "run `make api-reference`"


def test_every_error_code_has_a_meaning_and_nothing_else_has() -> None:
    assert {code for _, code in codes()} == set(MEANINGS)


def test_every_operation_of_the_api_is_on_the_page() -> None:
    page = rest_page()

    assert "| POST `…/{collection}/jobs/{job}/backfill` | Run the occurrences" in page
    assert "GET `/readyz` | Tell whether the store can be reached. *no token*" in page
