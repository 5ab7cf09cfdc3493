from typing import Any

import pytest

from foliot.core.errors import Invalid
from foliot.importers import ImportOptions, read_crontabs
from foliot.importers.cron_text import accepted_cron
from tests.unit.importers.support import (
    NOW,
    OPTIONS,
    all_jobs,
    cron_line,
    text_source,
    the_job,
    the_reason,
)

CURL = "curl -f https://example.com/x"


def recurrence_of(crontab: str, **options: Any) -> Any:
    result = read_crontabs([text_source(crontab, "crontab")], ImportOptions(now=NOW, **options))
    return the_job(result).properties["recurrence"]


@pytest.mark.parametrize(
    ("written", "accepted"),
    [
        pytest.param("0 9 * * 1-5", "0 9 * * 1-5", id="as it is"),
        pytest.param("@Daily", "@Daily", id="a name for five fields"),
        pytest.param("0  9 *\t* *", "0 9 * * *", id="several blanks"),
        pytest.param("0 9 * * 5-1", "0 9 * * 5,6,0,1", id="days past the end of the week"),
        pytest.param("0 9 * * sat-sun", "0 9 * * 6,0", id="days by name past the end"),
        pytest.param("0 9 ? * 1", "0 9 * * 1", id="a question mark"),
        pytest.param("*/90 9 * * *", "0 9 * * *", id="a step that is too long"),
        pytest.param("5-20/60 9 * * *", "5 9 * * *", id="a long step in a range"),
    ],
)
def test_an_expression_is_kept_or_written_so_that_it_is_accepted(
    written: str, accepted: str
) -> None:
    assert accepted_cron(written) == accepted


@pytest.mark.parametrize(
    ("written", "problem"),
    [
        pytest.param("@reboot", "the start of a machine", id="reboot"),
        pytest.param("@every 5m", "write a frequency", id="every"),
        pytest.param("0 9 * *", "has 4 fields", id="four fields"),
        pytest.param("0 22-4 * * *", '"22-4" is not a valid hour', id="hours past midnight"),
        pytest.param("0 9 */40 * 1", '"*/40" is not a valid day', id="a long step of days"),
        pytest.param("0 9 15W * *", '"15W"', id="nearest weekday"),
        pytest.param("0," * 600 + "0 * * * *", "too long", id="too long"),
    ],
)
def test_an_expression_without_a_counterpart_is_refused(written: str, problem: str) -> None:
    with pytest.raises(Invalid) as refused:
        accepted_cron(written)

    assert problem in str(refused.value)


@pytest.mark.parametrize(
    ("crontab", "zone", "expected"),
    [
        pytest.param(f"0 9 * * * {CURL}", None, None, id="none"),
        pytest.param(f"0 9 * * * {CURL}", "Asia/Tokyo", "Asia/Tokyo", id="option"),
        pytest.param(
            f"CRON_TZ=Europe/Rome\n0 9 * * * {CURL}",
            "Asia/Tokyo",
            "Europe/Rome",
            id="CRON_TZ first",
        ),
        pytest.param(f'TZ=":Europe/Rome"\n0 9 * * * {CURL}', None, "Europe/Rome", id="TZ"),
        pytest.param(f"TZ=Europe/Rome\n0 9 * * * {CURL}", "UTC", "UTC", id="option before TZ"),
    ],
)
def test_the_zone_comes_from_the_file_or_from_the_option(
    crontab: str, zone: str | None, expected: str | None
) -> None:
    assert recurrence_of(f"{crontab}\n", zone=zone).get("timeZone") == expected


def test_only_what_runs_every_hour_or_minute_follows_elapsed_time() -> None:
    daily = recurrence_of(f"30 2 * * * {CURL}", zone="Europe/Prague")
    hourly = recurrence_of(f"30 * * * * {CURL}", zone="Europe/Prague")
    in_utc = recurrence_of(f"30 * * * * {CURL}", zone="Etc/UTC")

    assert "dst" not in daily
    assert hourly["dst"] == {"skipped": "skip", "repeated": "both"}
    assert "dst" not in in_utc


def test_an_unknown_zone_leaves_an_entry_out() -> None:
    result = read_crontabs([text_source(f"CRON_TZ=Mars\n0 9 * * * {CURL}")], OPTIONS)

    assert '"Mars" is not an IANA time zone' in result.left_out[0].reason


@pytest.mark.parametrize(
    ("line", "told"),
    [
        pytest.param("* * * * curl http://x/a", '"curl" where the day of the week', id="four"),
        pytest.param("*/5 * * * curl -fsS http://x/a", '"curl" where the day of', id="options"),
        pytest.param("5 4 * /bin/curl -f http://x/a", '"/bin/curl" where the month', id="three"),
        pytest.param("0 9 * MON root curl -f http://x/a", '"root" where the day of', id="a user"),
    ],
)
def test_a_line_with_too_few_fields_is_told_which_one_it_lacks(line: str, told: str) -> None:
    reason = the_reason(cron_line(line))

    assert told in reason
    assert "needs five fields before its command" in reason


def test_a_line_with_too_few_fields_does_not_decide_whether_lines_have_users() -> None:
    lines = f"0 9 * * root {CURL}\n0 9 * * * www {CURL}\n"

    (job,) = all_jobs(read_crontabs([text_source(lines)], OPTIONS))

    assert job.name == "x"


def test_the_zone_is_noted_only_if_a_job_that_is_taken_over_lacks_one() -> None:
    lines = f"0 9 * * * backup\nCRON_TZ=Asia/Tokyo\n0 9 * * * {CURL}\n"

    assert not any("zone" in note for note in read_crontabs([text_source(lines)], OPTIONS).notes)


def test_jobs_of_one_address_get_names_that_differ() -> None:
    result = read_crontabs([text_source(f"0 9 * * * {CURL}\n" * 3)], OPTIONS)

    assert [each.name for each in all_jobs(result)] == ["x", "x-2", "x-3"]


@pytest.mark.parametrize(
    ("address", "name"),
    [
        pytest.param("https://www.example.com", "example-com", id="host"),
        pytest.param("https://example.com/a/b/c/d.php?x=1", "b-c-d", id="end of the path"),
        pytest.param("https://example.com/2026-01/", "example-com", id="numbers"),
        pytest.param("https://example.com/caf%C3%A9", "caf", id="letters of others"),
        pytest.param("$HOOK/x", "hook", id="variable"),
        pytest.param("-g https://[x/", "job", id="no address"),
    ],
)
def test_a_job_is_named_after_its_address(address: str, name: str) -> None:
    line = f"0 9 * * * curl -f {address}".replace("%", r"\%")

    assert the_job(cron_line(line)).name == name


@pytest.mark.parametrize(
    ("lines", "has_users"),
    [
        pytest.param("0 9 * * * root curl -f https://a.example", True, id="root"),
        pytest.param("0 9 * * * www curl -f https://a.example", True, id="user and curl"),
        pytest.param("0 9 * * * curl -f https://a.example", False, id="curl"),
        pytest.param("0 9 * * * /bin/curl -f https://a.example", False, id="a path"),
        pytest.param("0 9 * * * sh -c 'curl -f https://a.example'", False, id="shell"),
    ],
)
def test_a_column_of_users_is_recognised(lines: str, has_users: bool) -> None:  # noqa: FBT001
    guessed = read_crontabs([text_source(lines)], OPTIONS)
    told = read_crontabs([text_source(lines)], OPTIONS, has_users=has_users)

    assert all_jobs(guessed) == all_jobs(told) != []


def test_a_line_without_a_user_is_read_also_where_users_are_expected() -> None:
    line = "0 9 * * * /bin/curl -f https://a.example"

    result = read_crontabs([text_source(line)], OPTIONS, has_users=True)

    assert the_job(result).name == "a-example"


def test_more_jobs_than_the_standard_plan_allows_get_a_larger_plan() -> None:
    result = read_crontabs([text_source(f"0 9 * * * {CURL}\n" * 51)], OPTIONS)

    assert result.collections[0].attributes == {"sku": {"name": "P20Premium"}}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param(b"0 9 * * * \xff", "crontab is not UTF-8: byte 11", id="not UTF-8"),
        pytest.param(b"0 9 * * *\0 x", "NUL character", id="NUL"),
        pytest.param(b"hello\n", "line 1 is not a line of a crontab", id="prose"),
        pytest.param(b"0 9 * * * curl x\n" * 10_001, "more than 10000 entries", id="many"),
    ],
)
def test_what_is_no_crontab_is_refused(content: bytes, problem: str) -> None:
    with pytest.raises(Invalid) as refused:
        read_crontabs([text_source(content, "crontab")], OPTIONS)

    assert problem in str(refused.value)


def test_variables_that_grow_are_refused() -> None:
    crontab = f"A={'x' * 10_000}\n0 9 * * * curl -f https://a.example/{'$A' * 100}"

    result = read_crontabs([text_source(crontab)], OPTIONS)

    assert "more than 100000 characters" in result.left_out[0].reason
