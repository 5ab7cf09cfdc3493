"""The functions of the template language: which arguments they refuse, and how."""

import pytest

from foliot.core.errors import Invalid
from foliot.templates.functions.table import FUNCTIONS, REFUSED_FUNCTIONS
from tests.support.templates import evaluated

REFUSED = {
    "concat()": "concat() takes 1 or more arguments; it is given 0.",
    "not(true(), true())": "not() takes 1 argument; it is given 2.",
    "add(1)": "add() takes 2 arguments; it is given 1.",
    "substring('a')": "substring() takes 2 to 3 arguments; it is given 1.",
    "if(true(), 1)": "if() takes 3 arguments; it is given 2.",
    "if('true', 1, 2)": "argument 1 of if() is a string; give a boolean.",
    "substring('a', 'b')": (
        "argument 2 of substring() is a string; give a whole number of 64 bits."
    ),
    "length(5)": (
        "argument 1 of length() is a whole number; give a string or an array or an object."
    ),
    "add(1, true())": "argument 2 of add() is a boolean; give a whole number of 64 bits.",
    "concat('a', createArray())": "concat() takes only arrays or only strings, not both.",
    "concat(createArray(), 'a')": "concat() takes only arrays or only strings, not both.",
    "substring('abc', 2, 5)": (
        "substring() asks for characters 2 to 7 of a string of 3; "
        "give a start and a length within the string."
    ),
    "substring('abc', -1)": (
        "substring() asks for characters -1 to 3 of a string of 3; "
        "give a start and a length within the string."
    ),
    "replace('a', '', 'b')": (
        "argument 2 of replace() is an empty string; give the text to replace."
    ),
    "split('a', createArray(1))": "argument 2 of split() holds a value that is no string.",
    "padLeft('a', 5, 'xy')": "argument 3 of padLeft() has 2 characters; give 1.",
    "format('{0} {1}', 'a')": 'format() has "{1}", but only 1 value.',
    "format('{')": "format() has a { at character 1; write {{.",
    "format('a } b')": "format() has a } at character 3; write }}.",
    "format('{0:C2}', 5)": (
        'the format "C2" of a number is not supported; give D, X, N or F with the number '
        "of digits, G, or zeros."
    ),
    "format('{0:D2}', float('1.5'))": (
        'the format "D2" of a number is not supported; give D, X, N or F with the number '
        "of digits, G, or zeros."
    ),
    "base64ToString('%')": "the string is no base64 of UTF-8 text.",
    "base64ToString('/w==')": "the string is no base64 of UTF-8 text.",
    "json('{')": (
        "the text is not JSON: Expecting property name enclosed in double quotes "
        "at line 1, column 2."
    ),
    "dataUriToString('hello')": "the string is no data URI; give data:text/plain;base64,....",
    "uriComponentToString('%ff')": "the string is no URI-encoded UTF-8 text.",
    "uri('contoso', 'a')": "argument 1 of uri() is no absolute URI; give https://host/path/.",
    "uri('http://[', 'a')": "the arguments of uri() are no URIs.",
    "createObject('a')": "createObject() takes a name and a value for each property.",
    "createObject(1, 'a')": "createObject() is given a whole number as a name; give a string.",
    "union(createArray(), createObject())": "union() takes only arrays or only objects, not both.",
    "intersection(createObject(), createArray())": (
        "intersection() takes only arrays or only objects, not both."
    ),
    "max(createArray())": "max() takes whole numbers, or one array of them.",
    "min(createArray('a'))": "min() takes whole numbers, or one array of them.",
    "flatten(createArray(1))": "flatten() takes an array of arrays.",
    "shallowMerge(createArray(1))": "shallowMerge() is given a whole number in its array.",
    "range(0, -1)": "range() is asked for -1 numbers; give 0 to 10000.",
    "range(9223372036854775807, 5)": (
        "the result does not fit into 64 bits; give smaller numbers."
    ),
    "div(1, 0)": "argument 2 of div() is 0; nothing can be divided by it.",
    "mod(1, 0)": "argument 2 of mod() is 0; nothing can be divided by it.",
    "mul(9223372036854775807, 2)": "the result does not fit into 64 bits; give smaller numbers.",
    "div(-9223372036854775808, -1)": "the result does not fit into 64 bits; give smaller numbers.",
    "int('1_000')": "int() is given a string that is no whole number of 64 bits.",
    "int('9223372036854775808')": "the result does not fit into 64 bits; give smaller numbers.",
    "int(true())": (
        "argument 1 of int() is a boolean; give a string or a whole number of 64 bits or a number."
    ),
    "float('nan')": "float() is given a string that is no number.",
    "float('1e999')": "the result is no finite number.",
    "json('1e999')": "the JSON holds a number that is too large; give less than 1e308.",
    "json('[''a\\'']')": "the text is not JSON: a string in single quotes has no end.",
    f"format('{{0:N}}', json('{'9' * 600}'))": "the number is too large for this format.",
    "bool('yes')": "bool() is given a string that is neither 'true' nor 'false'.",
    "less(1, 'a')": "a comparison takes two whole numbers or two strings.",
    "utcNow()": "utcNow() is only allowed in the default value of a parameter.",
    "newGuid()": "newGuid() is only allowed in the default value of a parameter.",
    "copyIndex()": "copyIndex() is only allowed inside a copy loop.",
    "copyIndex('jobs')": 'copyIndex() names "jobs", which is no loop around it.',
    "parameters('none')": 'parameters has no "none"; define it there.',
    "variables('none')": 'variables has no "none"; define it there.',
    "resourceId('a', 'b')": (
        "resourceId() is given no resource type; "
        "give one such as Microsoft.Scheduler/jobCollections."
    ),
    "resourceId('Microsoft.X/a/b', 'n')": ('the type "Microsoft.X/a/b" needs 2 names; it has 1.'),
    "resourceId('Microsoft.X/a', 'n/m')": ('"n/m" is no name of a resource; give one without /.'),
    "resourceId('Microsoft.X/', 'n')": (
        '"Microsoft.X/" is no resource type; give one such as Microsoft.Scheduler/jobCollections.'
    ),
    "reference('x', '2016-03-01', 'half')": (
        "argument 3 of reference() is \"half\"; give 'Full' or leave it out."
    ),
    "listKeys('x', '2016-03-01')": (
        "listKeys() is not supported: it would ask Azure for keys, and Foliot does not; "
        "pass them as a parameter."
    ),
    "providers('Microsoft.X')": (
        "providers() is not supported: Foliot does not ask Azure; pass the value as a parameter."
    ),
    "map(createArray(), 'x')": (
        "map() is not supported: lambda expressions are not supported; use a copy loop."
    ),
}


@pytest.mark.parametrize(("expression", "problem"), REFUSED.items(), ids=REFUSED)
def test_a_function_refuses_arguments(expression: str, problem: str) -> None:
    with pytest.raises(Invalid) as refusal:
        evaluated(f"[{expression}]")

    assert str(refusal.value) == f"resources[0].properties.it: {problem}"


def test_no_function_is_both_known_and_refused() -> None:
    assert not {name.lower() for name in FUNCTIONS} & {name.lower() for name in REFUSED_FUNCTIONS}
