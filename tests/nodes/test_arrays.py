"""What PostgreSQL makes of the arrays that rows are given in."""

import pytest

from foliot.store.postgres.arrays import array, columns
from foliot.store.postgres.connection import connect

TEXTS = [
    "",
    "plain",
    "null",
    "NULL",
    "{a,b}",
    ' "quoted" ',
    "back\\slash \\n",
    "line\r\nline\ttab",
    "ünïcödé 時計 \U0001f570",
    "a NUL \0 here",
    "private \U000f0000 use \U000f00000",
    "\x7f\x1b\u2028",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_the_same_alone_and_among_others(url: str, text: str) -> None:
    values = [text, None, "other", text]
    with connect(url) as connection:
        rows = connection.execute("SELECT unnest(%s::varchar[])", (array(values),)).fetchall()
        assert [each for (each,) in rows] == values
        assert connection.execute("SELECT %s::varchar", (text,)).fetchone() == (text,)


def test_columns_are_numbers_flags_and_texts(url: str) -> None:
    rows = [(1, True, "a\\b", None), (-(2**62), False, "b", 2)]
    query = "SELECT * FROM unnest(%s::bigint[], %s::int[], %s::varchar[], %s::bigint[])"
    with connect(url) as connection:
        found = connection.execute(query, columns(rows)).fetchall()
        nothing = connection.execute("SELECT %s::bigint[]", (array([]),)).fetchone()

    assert found == [(1, 1, "a\\b", None), (-(2**62), 0, "b", 2)]
    assert nothing == ([],)
