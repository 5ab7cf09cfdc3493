"""`uniqueString` and `guid` give the results of the original."""

import pytest

from tests.support.templates import evaluated, in_default

# Results of the original that others have published.
UNIQUE = {
    "two words": ("'hello', 'world'", "a7wkljktk6wne"),
    "a word": ("'tyeth'", "zcztcwvu6iyg6"),
    "the id of a group": (
        "'/subscriptions/3c7f956b-55ee-4686-9d30-da1eb631dc59"
        "/resourceGroups/rg-devopsshieldek010dev'",
        "fd63l2gacbtca",
    ),
    "the id of a machine": (
        "'/subscriptions/31e9f9a0-9fd2-4294-a0a3-0101246d9700/resourceGroups/"
        "rg-modm201-20230913120256/providers/Microsoft.Compute/virtualMachines/bobjacmodm201'",
        "yvjxno3je5on2",
    ),
    "nothing": ("''", "aaaaaaaaaaaaa"),
}


@pytest.mark.parametrize(("arguments", "value"), UNIQUE.values(), ids=UNIQUE)
def test_unique_string_gives_what_the_original_gives(arguments: str, value: str) -> None:
    assert evaluated(f"[uniqueString({arguments})]") == value


def test_guid_is_a_version_5_uuid_of_the_arguments_joined_by_hyphens() -> None:
    assert evaluated("[guid('a', 'b', 'c')]") == "a98fa280-e03f-5afa-8d8e-92d0a9c201e8"
    assert evaluated("[guid('a-b', 'c')]") == evaluated("[guid('a', 'b', 'c')]")


def test_new_guid_differs_at_each_call_and_is_the_same_for_the_same_deployment() -> None:
    two = "[concat(newGuid(), ' ', newGuid())]"

    first, second = str(in_default(two)).split()

    assert first != second
    assert in_default(two) == f"{first} {second}"
