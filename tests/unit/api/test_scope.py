import pytest

from foliot.api.wire.scope import parse_scope, scope_text
from foliot.core.errors import Invalid
from foliot.core.model.token import Scope

GROUP = "/subscriptions/S/resourceGroups/G"
COLLECTION = f"{GROUP}/providers/Microsoft.Scheduler/jobCollections/C"


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("/", Scope()),
        ("", Scope()),
        ("/subscriptions/S", Scope(subscription="s")),
        ("/Subscriptions/S/", Scope(subscription="s")),
        (GROUP, Scope(subscription="s", group="g")),
        (COLLECTION, Scope(subscription="s", group="g", collection="c")),
        (COLLECTION.upper(), Scope(subscription="s", group="g", collection="c")),
    ],
    ids=["all", "empty", "subscription", "other case", "group", "collection", "upper case"],
)
def test_a_scope_is_read_in_any_letter_case(text: str, scope: Scope) -> None:
    assert parse_scope(text) == scope


@pytest.mark.parametrize("text", ["/", GROUP.replace("S", "s").replace("/G", "/g")])
def test_a_scope_is_written_as_it_is_read(text: str) -> None:
    assert parse_scope(scope_text(parse_scope(text))) == parse_scope(text)


def test_the_scope_of_a_collection_is_written_as_its_path() -> None:
    assert scope_text(parse_scope(COLLECTION)) == (
        "/subscriptions/s/resourceGroups/g/providers/Microsoft.Scheduler/jobCollections/c"
    )


@pytest.mark.parametrize(
    "text",
    [
        "S",
        "/subscriptions",
        "/subscriptions//resourceGroups/G",
        "/resourceGroups/G",
        f"{GROUP}/providers/Microsoft.Storage/jobCollections/C",
        f"{COLLECTION}/jobs/J",
        f"{GROUP}\n",
    ],
)
def test_what_is_no_scope_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="/ for everything"):
        parse_scope(text)
