"""The functions of the template language: what each gives."""

from typing import Any

import pytest

from tests.support.templates import COLLECTION, COLLECTION_ID, GROUP_ID, SCOPE, evaluated

TEXT: dict[str, Any] = {
    "concat('a', 'b', 'c')": "abc",
    "concat('a', 1, true())": "a1True",
    "concat(createArray(1), createArray(2, 3))": [1, 2, 3],
    "substring('one two', 4)": "two",
    "substring('one two', 0, 3)": "one",
    "substring('abc', 3)": "",
    "replace('123-123', '-', '')": "123123",
    "replace('aA', 'a', 'b')": "bA",
    "split('one,two,three', ',')": ["one", "two", "three"],
    "split('one;two,three', createArray(',', ';'))": ["one", "two", "three"],
    "split('one', '')": ["one"],
    "join(createArray('a', 1, true()), '-')": "a-1-True",
    "join(createArray(), '-')": "",
    "toLower('ÄbC')": "äbc",
    "toUpper('äbC')": "ÄBC",
    "trim('  a b \t')": "a b",
    "length('äb')": 2,
    "indexOf('tesT', 'T')": 0,
    "indexOf('abc', 'z')": -1,
    "lastIndexOf('test', 'T')": 3,
    "startsWith('abcdef', 'AB')": True,
    "endsWith('abcdef', 'EF')": True,
    "endsWith('abcdef', 'e')": False,
    "contains('OneTwo', 'e')": True,
    "contains('OneTwo', 'E')": False,
    "empty('')": True,
    "padLeft('123', 10, '0')": "0000000123",
    "padLeft(7, 3)": "  7",
    "padLeft('long', 2)": "long",
    "first('abc')": "a",
    "first('')": "",
    "last('abc')": "c",
    "skip('one two', 4)": "two",
    "skip('ab', 5)": "",
    "skip('ab', -5)": "ab",
    "take('one two', 3)": "one",
    "take('ab', -1)": "",
    "string(5)": "5",
    "string(true())": "True",
    "string(createArray(1, 'a', true()))": '[1,"a",true]',
    "string(createObject('a', 1))": '{"a":1}',
    "string(null())": "",
}
FORMAT: dict[str, Any] = {
    "format('{0}, {1}. Formatted number: {2:N0}', 'Hello', 'User', 8175133)": (
        "Hello, User. Formatted number: 8,175,133"
    ),
    "format('{{{0}}}', 'a')": "{a}",
    "format('{0,5}|{0,-5}|', 'ab')": "   ab|ab   |",
    "format('{0:D3} {0:000} {0:X4} {0:x}', 10)": "010 010 000A a",
    "format('{0:D3}', -7)": "-007",
    "format('{0:X}', -1)": "FFFFFFFFFFFFFFFF",
    "format('{0:F1} {0:N} {0:G}', 1234)": "1234.0 1,234.00 1234",
    "format('{0:N1}', float('2.25'))": "2.3",
    "format('{0:N0}', 9223372036854775807)": "9,223,372,036,854,775,807",
    "format('{0:F99}', float('1e300'))": f"{int(1e300)}.{'0' * 99}",
    "format('{0} {1}', true(), createArray(1))": "True [1]",
    "format('no holes')": "no holes",
    "format('{0:N0}', 'text')": "text",
}
ENCODING: dict[str, Any] = {
    "base64('one, two, three')": "b25lLCB0d28sIHRocmVl",
    "base64ToString('b25lLCB0d28sIHRocmVl')": "one, two, three",
    "base64ToJson(base64('{''one'': ''a'', ''two'': ''b''}'))": {"one": "a", "two": "b"},
    "json('{\"a\": [1, null]}')": {"a": [1, None]},
    "json('null')": None,
    "json('{''it\"s'': ''a\\''b''}')": {'it"s': "a'b"},
    "dataUri('Hello')": "data:text/plain;charset=utf8;base64,SGVsbG8=",
    "dataUriToString('data:;base64,SGVsbG8sIFdvcmxkIQ==')": "Hello, World!",
    "dataUriToString('data:text/plain,a%20b')": "a b",
    "uri('http://contoso.org/firstpath', 'myscript.sh')": "http://contoso.org/myscript.sh",
    "uri('http://contoso.org/firstpath/', 'myscript.sh')": (
        "http://contoso.org/firstpath/myscript.sh"
    ),
    "uri('http://contoso.org/a/azuredeploy.json', 'myscript.sh')": (
        "http://contoso.org/a/myscript.sh"
    ),
    "uriComponent('http://contoso.com/a b')": "http%3A%2F%2Fcontoso.com%2Fa%20b",
    "uriComponentToString('http%3A%2F%2Fcontoso.com%2F%C3%A4')": "http://contoso.com/ä",
}
ARRAYS: dict[str, Any] = {
    "array('efgh')": ["efgh"],
    "array(createArray(1))": [1],
    "createArray()": [],
    "createArray(1, 'a', createArray())": [1, "a", []],
    "createObject('a', 1, 'b', createObject())": {"a": 1, "b": {}},
    "contains(createArray('one', 2), 2)": True,
    "contains(createArray('one'), 'ONE')": False,
    "contains(createArray(1), true())": False,
    "contains(createObject('One', 1), 'oNE')": True,
    "empty(createArray())": True,
    "empty(createObject('a', 1))": False,
    "empty(null())": True,
    "first(createArray('one', 'two'))": "one",
    "first(createArray())": None,
    "last(createArray('one', 'two'))": "two",
    "last(createArray())": None,
    "length(createArray(1, 2))": 2,
    "length(createObject('a', 1))": 1,
    "max(0, 3, 2)": 3,
    "max(createArray(5, 4))": 5,
    "min(0, -3, 2)": -3,
    "min(createArray(5, 4))": 4,
    "range(5, 3)": [5, 6, 7],
    "range(0, 0)": [],
    "skip(createArray(1, 2, 3), 2)": [3],
    "take(createArray(1, 2, 3), 2)": [1, 2],
    "take(createArray(1), 9)": [1],
    "union(createArray('one', 'two'), createArray('two', 'Two', 2))": ["one", "two", "Two", 2],
    'union(json(\'{"a": {"b": 1}, "z": 0}\'), json(\'{"a": {"c": 2}, "z": 1}\'))': {
        "a": {"b": 1, "c": 2},
        "z": 1,
    },
    "intersection(createArray('a', 'b', 'c'), createArray('c', 'b'))": ["b", "c"],
    'intersection(json(\'{"a": 1, "b": 2}\'), json(\'{"a": 1, "b": 3}\'))': {"a": 1},
    "items(createObject('b', 2, 'a', 1))": [{"key": "a", "value": 1}, {"key": "b", "value": 2}],
    "objectKeys(createObject('b', 2, 'a', 1))": ["b", "a"],
    "flatten(createArray(createArray(1), createArray(2, 3)))": [1, 2, 3],
    "shallowMerge(createArray(createObject('a', 1), createObject('a', 2)))": {"a": 2},
}
LOGIC: dict[str, Any] = {
    "add(5, -8)": -3,
    "sub(3, 7)": -4,
    "mul(5, 3)": 15,
    "div(8, 3)": 2,
    "div(-8, 3)": -2,
    "mod(7, 3)": 1,
    "mod(-7, 3)": -1,
    "int('-4')": -4,
    "int(4)": 4,
    "float('3.5')": 3.5,
    "float(3)": 3.0,
    "bool('TRUE')": True,
    "bool(0)": False,
    "and(true(), bool(1), true())": True,
    "or(false(), false(), true())": True,
    "not(true())": False,
    "if(equals('a', 'a'), 'yes', 'no')": "yes",
    "if(false(), int('no number'), 'lazy')": "lazy",
    "equals(1, 1)": True,
    "equals(1, true())": False,
    "equals('a', 'A')": False,
    "equals(createObject('a', 1, 'b', 2), createObject('b', 2, 'a', 1))": True,
    "equals(createArray(1, 2), createArray(2, 1))": False,
    "equals(null(), null())": True,
    "less(1, 2)": True,
    "less('b', 'a')": False,
    "lessOrEquals(2, 2)": True,
    "greater('b', 'a')": True,
    "greaterOrEquals(1, 2)": False,
    "coalesce(null(), 'a', 'b')": "a",
    "coalesce(null())": None,
}
CONTEXT: dict[str, Any] = {
    "resourceGroup().location": "westeurope",
    "resourceGroup().id": GROUP_ID,
    "resourceGroup().tags.team": "billing",
    "resourceGroup().name": "Prod",
    "subscription().subscriptionId": SCOPE.subscription,
    "subscription().tenantId": SCOPE.tenant,
    "tenant().tenantId": SCOPE.tenant,
    "deployment().name": "monthly",
    "deployment().properties.mode": "Incremental",
    f"resourceId('{COLLECTION}', 'c')": f"{COLLECTION_ID}/c",
    f"resourceId('{COLLECTION}/jobs', 'c', 'j')": f"{COLLECTION_ID}/c/jobs/j",
    f"resourceId('other', '{COLLECTION}', 'c')": (
        f"/subscriptions/{SCOPE.subscription}/resourceGroups/other/providers/{COLLECTION}/c"
    ),
    f"resourceId('s', 'other', '{COLLECTION}', 'c')": (
        f"/subscriptions/s/resourceGroups/other/providers/{COLLECTION}/c"
    ),
    "subscriptionResourceId('Microsoft.X/roles', 'r')": (
        f"/subscriptions/{SCOPE.subscription}/providers/Microsoft.X/roles/r"
    ),
    "subscriptionResourceId('s', 'Microsoft.X/roles', 'r')": (
        "/subscriptions/s/providers/Microsoft.X/roles/r"
    ),
    "tenantResourceId('Microsoft.X/roles', 'r')": "/providers/Microsoft.X/roles/r",
    "extensionResourceId('/base', 'Microsoft.X/locks', 'l')": "/base/providers/Microsoft.X/locks/l",
}
ALL = {**TEXT, **FORMAT, **ENCODING, **ARRAYS, **LOGIC, **CONTEXT}


@pytest.mark.parametrize(("expression", "value"), ALL.items(), ids=ALL)
def test_a_function_gives_its_value(expression: str, value: Any) -> None:
    found = evaluated(f"[{expression}]")

    assert found == value
    assert type(found) is type(value)
