from typing import Any

import pytest

from foliot.api.wire.merge import merge, nulls
from foliot.core.errors import Invalid

MERGED: dict[str, tuple[Any, Any, Any]] = {
    "left out": ({"a": 1}, {}, {"a": 1}),
    "new": ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
    "changed": ({"a": 1}, {"a": 2}, {"a": 2}),
    "removed": ({"a": 1, "b": 2}, {"a": None}, {"b": 2}),
    "removed what was not there": ({"a": 1}, {"b": None}, {"a": 1, "b": None}),
    "deep": (
        {"a": {"b": {"c": 1, "d": 2}}},
        {"a": {"b": {"c": 3}}},
        {"a": {"b": {"c": 3, "d": 2}}},
    ),
    "list replaced": ({"a": [1, 2, {"b": 1}]}, {"a": [3]}, {"a": [3]}),
    "list by a value": ({"a": [1, 2]}, {"a": 3}, {"a": 3}),
    "value by an object": ({"a": 1}, {"a": {"b": 2}}, {"a": {"b": 2}}),
    "object by a value": ({"a": {"b": 2}}, {"a": 1}, {"a": 1}),
    "false, 0 and empty": (
        {"a": True, "b": 1, "c": "x"},
        {"a": False, "b": 0, "c": ""},
        {"a": False, "b": 0, "c": ""},
    ),
    "any letter case": ({"aB": {"cD": 1}}, {"AB": {"CD": 2}}, {"aB": {"cD": 2}}),
    "removed in any letter case": ({"aB": 1}, {"AB": None}, {}),
    "headers by their spelling": (
        {"headers": {"A": "1", "B": "2"}},
        {"headers": {"a": "3", "B": "4"}},
        {"headers": {"B": "4", "a": "3"}},
    ),
    "header twice": (
        {"headers": {"A": "1"}},
        {"headers": {"a": "2", "A": "3"}},
        {"headers": {"a": "2", "A": "3"}},
    ),
    "header removed": ({"headers": {"Ab": "1"}}, {"headers": {"aB": None}}, {"headers": {}}),
    "tags by their spelling": ({"tags": {"A": "1"}}, {"TAGS": {"a": "2"}}, {"tags": {"a": "2"}}),
    "custom properties are exact": (
        {"customMessageProperties": {"A": "1"}},
        {"customMessageProperties": {"a": "2"}},
        {"customMessageProperties": {"A": "1", "a": "2"}},
    ),
    "old names in a schedule": (
        {"schedule": {"minutes": [1], "hours": [2]}},
        {"schedule": {"minute": 3, "HOUR": None}},
        {"schedule": {"minutes": 3}},
    ),
    "old names elsewhere": (
        {"headers": {"minutes": "1"}},
        {"headers": {"minute": "2"}},
        {"headers": {"minutes": "1", "minute": "2"}},
    ),
    "another type": (
        {"action": {"request": {"uri": "u"}, "type": "Http", "retryPolicy": {}}},
        {"action": {"type": "storagequeue", "queueMessage": {"message": "m"}}},
        {"action": {"type": "storagequeue", "retryPolicy": {}, "queueMessage": {"message": "m"}}},
    ),
    "the same type": (
        {"action": {"request": {"uri": "u"}, "type": "Http"}},
        {"action": {"TYPE": "HTTPS"}},
        {"action": {"request": {"uri": "u"}, "type": "HTTPS"}},
    ),
    "unknown type": (
        {"action": {"request": {"uri": "u"}, "type": "Http"}},
        {"action": {"type": 5}},
        {"action": {"request": {"uri": "u"}, "type": 5}},
    ),
    "type of something else": (
        {"authentication": {"request": 1, "type": "Basic"}},
        {"authentication": {"type": "StorageQueue"}},
        {"authentication": {"request": 1, "type": "StorageQueue"}},
    ),
    "retry policy of the request": (
        {"action": {"retryPolicy": {"retryCount": 1, "retryType": "fixed"}}},
        {"action": {"request": {"RetryPolicy": {"retryCount": 3}, "uri": "u"}}},
        {
            "action": {
                "retryPolicy": {"retryCount": 3, "retryType": "fixed"},
                "request": {"uri": "u"},
            }
        },
    ),
    "retry policy in both places": (
        {"action": {}},
        {"action": {"retryPolicy": {"a": 2}, "request": {"retryPolicy": {"a": 2}}}},
        {"action": {"retryPolicy": {"a": 2}, "request": {}}},
    ),
    "beside the action": (
        {"properties": {"action": {"retryPolicy": {"a": 1, "b": 2}, "errorAction": {"c": 3}}}},
        {"properties": {"retryPolicy": {"a": 4}, "ErrorAction": None}},
        {"properties": {"action": {"retryPolicy": {"a": 4, "b": 2}}}},
    ),
    "beside an action that is none": (
        {"properties": {"action": {}}},
        {"properties": {"retryPolicy": {}, "action": 5}},
        {"properties": {"retryPolicy": {}, "action": 5}},
    ),
    "another type of authentication": (
        {"request": {"authentication": {"username": "u", "type": "Basic"}}},
        {"request": {"authentication": {"type": "NotSpecified"}}},
        {"request": {"authentication": {"type": "NotSpecified"}}},
    ),
    "the same type of authentication": (
        {"request": {"authentication": {"username": "u", "type": "Basic"}}},
        {"request": {"authentication": {"TYPE": "basic"}}},
        {"request": {"authentication": {"username": "u", "type": "basic"}}},
    ),
}


@pytest.mark.parametrize(("base", "patch", "merged"), MERGED.values(), ids=MERGED.keys())
def test_a_patch_is_laid_over_the_base(base: Any, patch: Any, merged: Any) -> None:
    assert merge(base, patch) == merged


@pytest.mark.parametrize("row", MERGED.values(), ids=MERGED.keys())
def test_neither_base_nor_patch_is_changed(row: tuple[Any, Any, Any]) -> None:
    base, patch, _ = row
    before = repr((base, patch))

    merge(base, patch)

    assert repr((base, patch)) == before


@pytest.mark.parametrize(
    ("patch", "path"),
    [
        ({"a": 1, "A": 2}, ("A",)),
        ({"b": {"c": 1, "C": None}}, ("b", "C")),
        ({"schedule": {"hour": 1, "hours": 2}}, ("schedule", "hours")),
        (
            {"action": {"request": {"retryPolicy": {}, "RETRYPOLICY": {}}}},
            ("action", "request", "RETRYPOLICY"),
        ),
        (
            {"action": {"retryPolicy": {}, "request": {"retryPolicy": {"a": 1}}}},
            ("action", "request", "retryPolicy"),
        ),
        (
            {"properties": {"errorAction": {}, "action": {"errorAction": {"a": 1}}}},
            ("properties", "errorAction"),
        ),
    ],
    ids=["top", "deep", "old name", "moved", "two retry policies", "two error actions"],
)
def test_a_name_that_is_given_twice_is_refused(patch: Any, path: tuple[str, ...]) -> None:
    with pytest.raises(Invalid, match="is given twice") as refusal:
        merge(
            {"a": 0, "b": {"c": 0}, "schedule": {}, "action": {}, "properties": {"action": {}}},
            patch,
        )

    assert refusal.value.path == path


def test_the_places_to_be_emptied_are_found_in_lower_case() -> None:
    patch = {"A": None, "b": {"C": None, "d": 1, "e": {"F": None}}, "g": [None, {"h": None}]}

    assert set(nulls(patch)) == {("a",), ("b", "c"), ("b", "e", "f")}
