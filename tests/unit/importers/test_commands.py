"""Command lines: what the shell, curl and wget say becomes a request, or is refused."""

import shlex
from typing import Any

import pytest

from tests.unit.importers.support import (
    cron_line,
    request_of,
    retry_policy_of,
    the_job,
    the_reason,
)

URL = "https://example.com/x"
FROM_VARIABLES = {"type": "Basic", "username": "${env:USER}", "password": "${env:PASS}"}
AUTHORIZED = {
    "Content-Type": "application/x-www-form-urlencoded",
    "Authorization": "Bearer ${file:/run/token}",
}


def in_shells(number: int) -> str:
    command = f"curl {URL}"
    for _ in range(number):
        command = f"sh -c {shlex.quote(command)}"
    return command


def request_from(command: str) -> dict[str, Any]:
    return request_of(the_job(cron_line(f"0 0 * * * {command}", keeps_secrets=True)))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        pytest.param(f"curl {URL}", {"method": "GET"}, id="plain"),
        pytest.param(f"/usr/local/bin/curl -XPOST {URL}", {"method": "POST"}, id="option joined"),
        pytest.param(f"curl -sSfIm10 {URL}", {"method": "HEAD"}, id="options in one word"),
        pytest.param(f"curl -d a=1 -d b=2 {URL}", {"body": "a=1&b=2"}, id="two bodies"),
        pytest.param(f"curl -d 'x y' {URL}", {"body": "x y"}, id="single quotes"),
        pytest.param(rf'curl -d "a\"b\\c\d" {URL}', {"body": r'a"b\c\d'}, id="double quotes"),
        pytest.param(rf"curl -d a\ b {URL}", {"body": "a b"}, id="backslash"),
        pytest.param(f"curl -d 'cost: $5' {URL}", {"body": "cost: $5"}, id="dollar in quotes"),
        pytest.param(f'curl -d "5 $" {URL}', {"body": "5 $"}, id="dollar alone"),
        pytest.param(
            f"curl -d x -H 'Content-Type:' {URL}", {"headers": None}, id="header taken away"
        ),
        pytest.param(
            f"curl -H 'X-A: 1' -H 'x-a: 2' {URL}", {"headers": {"x-a": "2"}}, id="header twice"
        ),
        pytest.param(f"curl --data-urlencode 'a b' {URL}", {"body": "a+b"}, id="encoded text"),
        pytest.param(f"curl --data-urlencode '=a&b' {URL}", {"body": "a%26b"}, id="encoded value"),
        pytest.param(f"curl --data-raw @x {URL}", {"body": "@x"}, id="raw"),
        pytest.param(f"curl -d @/a/b {URL}", {"body": "${file:/a/b}"}, id="body from a file"),
        pytest.param(f"curl -d @- {URL} < /a", {"body": "${file:/a}"}, id="body from stdin file"),
        pytest.param(f"curl --data-binary @- {URL} <<< text", {"body": "text\n"}, id="here text"),
        pytest.param("curl example.com", {"uri": "http://example.com"}, id="no scheme"),
        pytest.param(
            f'curl -H "Authorization: Bearer $(cat /run/token)" -d $(</etc/x) {URL}',
            {"headers": AUTHORIZED, "body": "${file:/etc/x}"},
            id="files",
        ),
        pytest.param(f"curl -- {URL}", {"uri": URL}, id="end of options"),
        pytest.param(f"curl -g '{URL}?a[0]=1'", {"uri": f"{URL}?a[0]=1"}, id="no globbing"),
        pytest.param(f"curl --url {URL}", {"uri": URL}, id="named address"),
        pytest.param(f"curl {URL} # nightly", {"uri": URL}, id="comment"),
        pytest.param(f"nice -n 5 env A=1 curl {URL} &", {"uri": URL}, id="wrappers"),
        pytest.param(
            "curl https://ann:a%41@example.com/x".replace("%", r"\%"),
            {
                "uri": URL,
                "authentication": {"type": "Basic", "username": "ann", "password": "aA"},
            },
            id="user in the address",
        ),
        pytest.param(
            f"curl -u $USER:$PASS {URL}", {"authentication": FROM_VARIABLES}, id="user in variables"
        ),
        pytest.param(
            "curl https://$USER:$PASS@example.com/x",
            {"uri": URL, "authentication": FROM_VARIABLES},
            id="user in variables in the address",
        ),
        pytest.param(f"wget -qO- --method=delete {URL}", {"method": "DELETE"}, id="wget method"),
        pytest.param(
            f"wget -q -U cron --referer=https://a.example {URL}",
            {"headers": {"User-Agent": "cron", "Referer": "https://a.example"}},
            id="wget headers",
        ),
        pytest.param(f"wget --post-file=/a {URL}", {"body": "${file:/a}"}, id="wget file"),
        pytest.param(
            f"wget -nv --user=ann --password=x {URL}",
            {"authentication": {"type": "Basic", "username": "ann", "password": "x"}},
            id="wget user",
        ),
    ],
)
def test_a_command_becomes_a_request(command: str, expected: dict[str, Any]) -> None:
    request = request_from(command)

    assert {name: request.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        pytest.param("/bin/true", "neither curl nor wget", id="another program"),
        pytest.param(f"curl {URL} | sh", "runs sh besides", id="a pipe that works"),
        pytest.param(f"curl {URL} && rm x", "runs rm besides", id="a second command"),
        pytest.param(f"apk add x && curl {URL}", "runs apk besides", id="a first command"),
        pytest.param(f"curl {URL} && wget {URL}", "sends several requests", id="two requests"),
        pytest.param(f"curl {URL}/$(id -u)", "cannot; write out its value.", id="a computed value"),
        pytest.param(f"curl {URL}/$( date)", "may say the same", id="a computed date"),
        pytest.param(f"(curl {URL})", 'has "("', id="a subshell"),
        pytest.param(f"curl {URL}/`date`", "computes", id="backticks"),
        pytest.param(f"curl {URL}/$1", "computes", id="an argument"),
        pytest.param(f"curl -d 'x {URL}", "' without its end", id="an open quote"),
        pytest.param(f'curl -d "x {URL}', '" without its end', id="an open double quote"),
        pytest.param(f"curl {URL} >", "without a file", id="an open redirection"),
        pytest.param("timeout soon curl", "calls no addresses", id="an odd timeout"),
        pytest.param("curl", "calls no addresses", id="no address"),
        pytest.param(f"curl {URL} -X", "has no value", id="an option without its value"),
        pytest.param(f"curl {URL}/[1-9]", "several addresses", id="globbing"),
        pytest.param(f"curl -x proxy {URL}", '"-x" of curl', id="a proxy"),
        pytest.param(f"curl -b jar.txt {URL}", "cookies are in a file", id="a cookie jar"),
        pytest.param(f"curl -H @file {URL}", "headers are in a file", id="headers in a file"),
        pytest.param(f"curl -H $HEADER {URL}", "${env:HEADER}; write it out", id="a header"),
        pytest.param(f"curl -d @- {URL}", "standard input", id="no standard input"),
        pytest.param(f"curl --data-urlencode a@b {URL}", "encodes a file", id="an encoded file"),
        pytest.param(f"curl -m soon {URL}", "is not a number", id="a timeout in words"),
        pytest.param(f"wget -i {URL}", '"-i" of wget', id="a list of addresses"),
        pytest.param(f"wget -t many {URL}", "is not a number", id="tries in words"),
        pytest.param("wget", "calls no addresses", id="wget without an address"),
        pytest.param("sh -c", "starts sh without a command", id="a shell without a command"),
        pytest.param("sh -c ''", "the command is empty", id="an empty command in a shell"),
        pytest.param(in_shells(6), "more than 4 shells", id="shells inside each other"),
    ],
)
def test_a_command_that_no_job_can_stand_for_is_left_out(command: str, reason: str) -> None:
    assert reason in the_reason(cron_line(f"0 0 * * * {command}"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("$((RANDOM \\% 60)); curl x", "$((RANDOM % 60))", id="arithmetic"),
        pytest.param('$(date +\\%F -d "$(x)")/y', '$(date +%F -d \\"$(x)\\")', id="commands"),
        pytest.param("`date`/y", "`date`", id="backticks"),
        pytest.param("${A:-b}/y", "${A:-b}", id="a default"),
        pytest.param("$1/y", "$1", id="an argument"),
        pytest.param("$(date", "$(date", id="without its end"),
    ],
)
def test_what_the_shell_computes_is_told_from_its_beginning_to_its_end(
    text: str, told: str
) -> None:
    assert f'computes "{told}", which' in the_reason(cron_line(f"0 0 * * * curl {URL}/{text}"))


@pytest.mark.parametrize(
    ("command", "policy"),
    [
        pytest.param(f"curl {URL}", {"retryType": "none"}, id="no retries"),
        pytest.param(
            f"curl --retry 30 --retry-delay 2 {URL}",
            {
                "retryType": "fixed",
                "retryInterval": "PT15S",
                "retryCount": 20,
                "retryOn": "transient",
            },
            id="more and sooner than a job can",
        ),
        pytest.param(f"wget -t 1 {URL}", {"retryType": "none"}, id="one try"),
        pytest.param(
            f"wget -t 0 --waitretry=60 {URL}",
            {
                "retryType": "fixed",
                "retryInterval": "PT1M",
                "retryCount": 19,
                "retryOn": "transient",
            },
            id="tries without end",
        ),
    ],
)
def test_retries_of_a_command_become_a_policy(command: str, policy: dict[str, Any]) -> None:
    assert retry_policy_of(the_job(cron_line(f"0 0 * * * {command}"))) == policy


@pytest.mark.parametrize(
    ("command", "note"),
    [
        pytest.param(f"curl -k {URL}", "did not check the certificate", id="insecure"),
        pytest.param(f"curl {URL}", "without --fail", id="no fail"),
        pytest.param(f"curl -O {URL}", "saved the response as a file", id="saved"),
        pytest.param(f"curl --connect-timeout 5 {URL}", "--connect-timeout", id="connect timeout"),
        pytest.param(f"curl --retry 2 --retry-delay 1 {URL}", "every 15 seconds", id="pause"),
        pytest.param(f"curl -m 9000 {URL}", "600 seconds and not 9000", id="long"),
        pytest.param(f"wget {URL}", "saved the response as a file", id="wget saved"),
        pytest.param(f"wget --no-check-certificate {URL}", "certificate", id="wget insecure"),
        pytest.param(f"curl {URL} || mail ops", "after a failure is left out: mail", id="or mail"),
        pytest.param(f"[ -x /bin/curl ] && curl {URL}", "condition before it", id="condition"),
        pytest.param(f"curl {URL}; echo done", '"echo done" is left out', id="then echo"),
        pytest.param(f"curl {URL} | tee /tmp/x", "the output went to tee", id="tee"),
        pytest.param(f"curl {URL} &>> /tmp/x", "the output went to /tmp/x", id="both outputs"),
    ],
)
def test_what_a_command_says_beside_its_request_is_noted(command: str, note: str) -> None:
    notes = the_job(cron_line(f"0 0 * * * {command}")).notes

    assert any(note in each for each in notes), notes


@pytest.mark.parametrize(
    ("ending", "is_ignored"),
    [("true", True), ("exit 0", True), ("exit", False), ("exit 1", False), ("false", False)],
)
def test_a_shell_that_fails_itself_ignores_no_failure(ending: str, *, is_ignored: bool) -> None:
    notes = the_job(cron_line(f"0 0 * * * curl -f {URL} || {ending}")).notes

    assert ("the shell ignored failures; Foliot counts them" in notes) is is_ignored


@pytest.mark.parametrize(
    ("command", "policy"),
    [
        pytest.param(f"flock -n /x curl {URL}", {"overlap": "skip"}, id="lock or give up"),
        pytest.param(f"flock -w 5 /x -c 'curl {URL}'", {"overlap": "queue"}, id="lock and wait"),
        pytest.param(f"timeout 2m curl -m 30 {URL}", {"timeout": "PT30S"}, id="the shorter time"),
        pytest.param(f"timeout -k 5 1h curl {URL}", {"timeout": "PT10M"}, id="the longest time"),
        pytest.param(
            f"timeout 9 bash -lc 'flock -n /x curl {URL}'",
            {"overlap": "skip", "timeout": "PT9S"},
            id="through a shell",
        ),
    ],
)
def test_locks_and_timeouts_become_a_policy(command: str, policy: dict[str, str]) -> None:
    assert the_job(cron_line(f"0 0 * * * {command}")).properties["policy"] == policy
