"""Dates: .NET formats, additions and the Unix epoch; the clock is that of the deployment."""

import pytest

from foliot.core.errors import Invalid
from foliot.core.instant import parse_instant
from tests.support.templates import a_resource, a_template, evaluated, read

AT = parse_instant("2026-03-05T17:08:09.0120345Z")

FORMATS = {
    "": "20260305T170809Z",
    "'d'": "03/05/2026",
    "'D'": "Thursday, 05 March 2026",
    "'f'": "Thursday, 05 March 2026 17:08",
    "'g'": "03/05/2026 17:08",
    "'G'": "03/05/2026 17:08:09",
    "'M'": "March 05",
    "'o'": "2026-03-05T17:08:09.0120345Z",
    "'R'": "Thu, 05 Mar 2026 17:08:09 GMT",
    "'s'": "2026-03-05T17:08:09",
    "'t'": "17:08",
    "'u'": "2026-03-05 17:08:09Z",
    "'y'": "2026 March",
    "'M d'": "3 5",
    "'yyyy-MM-ddTHH:mm:ssZ'": "2026-03-05T17:08:09Z",
    "'yyyyMMdd'": "20260305",
    "'yy y yyyyy'": "26 26 02026",
    "'h:mm tt'": "5:08 PM",
    "'ddd dddd MMM MMMM'": "Thu Thursday Mar March",
    "'ss.fff fffffff'": "09.012 0120345",
    "'FFF|FFFFFF'": "012|012034",
    "'zzz K'": "+00:00 Z",
    "'%d'": "5",
    "'\"at\" HH'": "at 17",
}


@pytest.mark.parametrize(("form", "text"), FORMATS.items(), ids=FORMATS)
def test_utc_now_writes_the_instant_of_the_deployment(form: str, text: str) -> None:
    parameters = {"now": {"type": "string", "defaultValue": f"[utcNow({form})]"}}

    template = read(a_template(parameters=parameters), now=AT)

    assert template.parameters == {"now": {"type": "String", "value": text}}


VALUES = {
    "dateTimeAdd('2023-01-01 00:00:00Z', 'P1Y')": "2024-01-01T00:00:00Z",
    "dateTimeAdd('2024-01-01 00:00:00Z', 'P1Y')": "2024-12-31T00:00:00Z",
    "dateTimeAdd('2023-02-01 00:00:00Z', 'P1M')": "2023-03-03T00:00:00Z",
    "dateTimeAdd('20260131T083000Z', '-P9D')": "2026-01-22T08:30:00Z",
    "dateTimeAdd('2026-01-31T08:30:00+01:00', 'PT1H30M')": "2026-01-31T09:00:00Z",
    "dateTimeAdd('2026-01-31', 'P1W', 'yyyy-MM-dd')": "2026-02-07",
    "dateTimeAdd('2026-01-31T00:00:00Z', 'PT1.5S', 'o')": "2026-01-31T00:00:01.5000000Z",
    "dateTimeFromEpoch(1683040573)": "2023-05-02T15:16:13Z",
    "dateTimeToEpoch('2023-05-02T15:16:13Z')": 1683040573,
}


@pytest.mark.parametrize(("expression", "value"), VALUES.items(), ids=VALUES)
def test_dates_are_computed(expression: str, value: str | int) -> None:
    assert evaluated(f"[{expression}]") == value


REFUSED = {
    "dateTimeAdd('yesterday', 'P1D')": "no date-time",
    "dateTimeAdd('2026-01-31', 'P')": "no duration",
    "dateTimeAdd('2026-01-31', '1 day')": "no duration",
    "dateTimeAdd('2026-01-31', 'P99999999D')": "between the years 1 and 9999",
    "dateTimeAdd('2026-01-31', 'P1D', 'q')": '"q" is no date format of .NET',
    "dateTimeAdd('2026-01-31', 'P1D', '')": '"" is no date format of .NET',
    "dateTimeAdd('2026-01-31', 'P1D', 'ffffffff')": "is no date format of .NET",
    "dateTimeAdd('2026-01-31', 'P1D', '%x')": "is no date format of .NET",
    "dateTimeAdd('2026-01-31', 'P1D', 'HH ''open')": "is no date format of .NET",
    "dateTimeFromEpoch(9223372036854775807)": "between the years 1 and 9999",
}


@pytest.mark.parametrize(("expression", "problem"), REFUSED.items(), ids=REFUSED)
def test_a_wrong_date_is_refused(expression: str, problem: str) -> None:
    with pytest.raises(Invalid, match=problem):
        evaluated(f"[{expression}]")


def test_utc_now_is_refused_in_properties() -> None:
    resource = a_resource(properties={"a": "[utcNow('u')]"})

    with pytest.raises(Invalid, match="only allowed in the default value of a parameter"):
        read(a_template(resource))
