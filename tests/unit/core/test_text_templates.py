"""The placeholders of an action's texts: what they become, and which are refused."""

from typing import Any
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from foliot.core.errors import Invalid
from foliot.core.model.action import HttpRequest, QueueMessage, ServiceBusMessage
from foliot.core.rules.text_templates import (
    TemplateValues,
    check_placeholders,
    filled_in,
    names_in,
    without_placeholders,
)
from tests.support.builders import at

VALUES = TemplateValues(
    planned=at("2026-07-10T08:05:09.5Z"),
    previous=at("2026-07-09T08:05:09.5Z"),
    tag="a1b2",
    attempt=3,
    occurrence=17,
    job="Nightly",
    collection="Billing",
)
IN_PRAGUE = replace(VALUES, zone=ZoneInfo("Europe/Prague"))
IN_NEW_YORK = replace(VALUES, zone=ZoneInfo("America/New_York"))
FIRST = replace(VALUES, previous=None)


def a_request(uri: str = "http://h/", **fields: Any) -> HttpRequest:
    return HttpRequest(uri=uri, method="POST", **fields)


def body(text: str, values: TemplateValues = VALUES) -> str:
    part = filled_in(a_request(body=text), values)
    assert isinstance(part, HttpRequest)
    return part.body or ""


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("", ""),
        ("no placeholder", "no placeholder"),
        ("{{planned}}", "2026-07-10T08:05:09.5Z"),
        ("{{previous}}", "2026-07-09T08:05:09.5Z"),
        ("{{tag}} {{attempt}} {{occurrence}}", "a1b2 3 17"),
        ("{{job}} of {{collection}}", "Nightly of Billing"),
        ('{"n":{{attempt}}}', '{"n":3}'),
        ("{{planned:%Y-%m-%d}}", "2026-07-10"),
        ("{{previous:%Y%m%d}}-{{planned:%Y%m%d}}", "20260709-20260710"),
        ("{{planned:%H:%M:%S.%f}}", "08:05:09.500000"),
        ("{{planned:%F %T %y %j}}", "2026-07-10 08:05:09 26 191"),
        ("{{planned:%G-W%V-%u}}", "2026-W28-5"),
        ("{{planned:%s %z}}", "1783670709 +0000"),
        ("{{planned:100%%}}", "100%"),
        ("{{{{planned}}", "{{planned}}"),
        ("{{{{{{tag}}", "{{a1b2"),
        ("{a} }} { {tag}", "{a} }} { {tag}"),
        ("{{tag}}{{tag}}", "a1b2a1b2"),
    ],
)
def test_a_placeholder_becomes_its_value(text: str, filled: str) -> None:
    assert body(text) == filled


@pytest.mark.parametrize(
    ("values", "text", "filled"),
    [
        pytest.param(IN_PRAGUE, "{{planned}}", "2026-07-10T10:05:09.5+02:00", id="east"),
        pytest.param(IN_PRAGUE, "{{planned:%H %z}}", "10 +0200", id="east, with a format"),
        pytest.param(IN_NEW_YORK, "{{planned}}", "2026-07-10T04:05:09.5-04:00", id="west"),
        pytest.param(IN_NEW_YORK, "{{planned:%z %s}}", "-0400 1783670709", id="west, by format"),
        pytest.param(
            replace(IN_PRAGUE, zone=ZoneInfo("Asia/Kolkata")),
            *("{{planned}}", "2026-07-10T13:35:09.5+05:30"),
            id="half an hour",
        ),
        pytest.param(
            replace(IN_PRAGUE, planned=at("2026-10-25T01:30:00Z")),
            *("{{planned}}", "2026-10-25T02:30:00+01:00"),
            id="the second of two equal clock times",
        ),
        pytest.param(FIRST, "[{{previous}}]", "[]", id="without a previous occurrence"),
        pytest.param(FIRST, "[{{previous:%Y}}]", "[]", id="without one, by format"),
    ],
)
def test_times_are_written_in_the_zone_of_the_job(
    values: TemplateValues, text: str, filled: str
) -> None:
    assert body(text, values) == filled


def test_a_value_is_percent_encoded_in_an_address_and_plain_in_headers_and_messages() -> None:
    request = filled_in(
        a_request(
            "http://h/{{planned}}?day={{planned:%d/%m}}&{{{{", headers={"X-At": "at {{planned}}"}
        ),
        IN_PRAGUE,
    )
    queue = QueueMessage(storage_account="a", queue_name="q", message="<{{tag}}>")
    bus = ServiceBusMessage(entity="e", namespace="n", message="{{job}}")

    assert request == a_request(
        "http://h/2026-07-10T10%3A05%3A09.5%2B02%3A00?day=10%2F07&%7B%7B",
        headers={"X-At": "at 2026-07-10T10:05:09.5+02:00"},
    )
    assert filled_in(queue, VALUES) == replace(queue, message="<a1b2>")
    assert filled_in(bus, VALUES) == replace(bus, message="Nightly")


def test_a_value_cannot_leave_its_place_in_an_address_or_a_header() -> None:
    hostile = replace(VALUES, job="a/../b?c=d#e\r\nX-Evil: 1")
    part = a_request("http://h/{{job}}/x", headers={"X-Job": "{{job}}"})

    found = filled_in(part, hostile)

    assert isinstance(found, HttpRequest)
    assert found.uri == "http://h/a%2F..%2Fb%3Fc%3Dd%23e%0D%0AX-Evil%3A%201/x"
    assert found.headers == {"X-Job": "a/../b?c=d#e X-Evil: 1"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{{plannd}}", 'has an unknown placeholder "plannd"; did you mean {{planned}}?'),
        ("{{ planned }}", "has an unknown placeholder; did you mean {{planned}}?"),
        ("{{Tag}}", 'has an unknown placeholder "Tag"; did you mean {{tag}}?'),
        ("{{time}}", 'has an unknown placeholder "time"; the known ones are planned, previous,'),
        ("{{}}", "has an unknown placeholder; the known ones are"),
        ("{{a b: pa55}}", "has an unknown placeholder; the known ones are"),
        ("{{" + "x" * 500 + "}}", "has an unknown placeholder; the known ones are"),
        ("{{zone}}", 'has an unknown placeholder "zone"'),
        ("{{__class__}}", 'has an unknown placeholder "__class__"'),
        ("{{", "has {{ without a name and }}; write {{{{ for the braces themselves."),
        ("{{planned", "has {{ without a name and }}"),
        ("{{planned}", "has {{ without a name and }}"),
        ("{{{planned}}", "has {{ without a name and }}"),
        ("{{{{{{", "has {{ without a name and }}"),
        ("{{tag:%Y}}", "has a format for {{tag}}; only times have one."),
        ("{{planned:}}", "has {{planned:}} without a format; give one, or no colon."),
        ("{{planned:%Q}}", "the directive %Q is not known; give one of %Y %y %m %d"),
        ("{{planned:%-d}}", "the directive %- is not known"),
        ("{{planned:%}}", "the directive % is not known"),
        ("{{planned:%A}}", "the directive %A is not known"),
    ],
)
def test_what_is_no_placeholder_is_refused_with_what_would_be_right(
    text: str, problem: str
) -> None:
    with pytest.raises(Invalid) as refusal:
        check_placeholders(a_request(body=text), ("request",))

    assert refusal.value.path == ("request", "body")
    assert problem in refusal.value.problem
    assert "pa55" not in refusal.value.problem


@pytest.mark.parametrize(
    ("part", "path"),
    [
        pytest.param(a_request("http://h/{{x}}"), ("uri",), id="address"),
        pytest.param(a_request(headers={"A": "", "B": "{{x}}"}), ("headers", "B"), id="header"),
        pytest.param(
            QueueMessage(storage_account="a", queue_name="q", message="{{x}}"),
            ("message",),
            id="message",
        ),
    ],
)
def test_a_refusal_names_the_place(part: Any, path: Any) -> None:
    with pytest.raises(Invalid) as refusal:
        check_placeholders(part, ("properties", "action"))

    assert refusal.value.path == ("properties", "action", *path)


@pytest.mark.parametrize(
    "uri",
    [
        *(
            "{{job}}://h/",
            "http://{{job}}/",
            "http://{{job}}.example.com/",
            "http://h:{{attempt}}/",
        ),
        *("http://{{job}}:x@h/", "http://u:{{tag}}@h/", "{{job}}", "http:{{job}}", "//{{job}}"),
        *("http://{{planned:%d/%m}}", "http://{{planned:?}}@h/", "http://h/#{{tag}}"),
        *("http://h{{tag}}", "http://{{{{/"),
    ],
)
def test_a_placeholder_cannot_decide_where_a_request_goes(uri: str) -> None:
    with pytest.raises(Invalid, match="outside of its path and query") as refusal:
        check_placeholders(a_request(uri), ())

    assert refusal.value.path == ("uri",)


@pytest.mark.parametrize(
    "uri",
    ["http://h/{{tag}}", "http://h?{{tag}}", "http://h/a/{{tag}}/b?c={{tag}}&d", "http://h"],
)
def test_a_placeholder_may_stand_in_path_and_query(uri: str) -> None:
    check_placeholders(a_request(uri), ())


def test_the_names_in_all_texts_are_found() -> None:
    part = a_request("http://h/{{tag}}", headers={"A": "{{{{job}}"}, body="{{previous:%Y}}")

    assert names_in(part) >= {"tag", "previous"}
    assert "job" not in names_in(part)


def test_the_rest_of_a_text_can_be_seen_without_its_placeholders() -> None:
    assert without_placeholders("http://h/{{planned:%Y}}/{x}") == "http://h/x/{x}"
