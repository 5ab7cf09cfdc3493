"""What commands say about options: in their help, and about those that are wrong."""

import re

import pytest
from typer.testing import CliRunner

from foliot.cli import app


def told(*arguments: str) -> str:
    """Run a command and return all that it says, without the frame around it."""
    result = CliRunner().invoke(app, arguments, env={"TERMINAL_WIDTH": "200", "NO_COLOR": "1"})
    return re.sub(r"[\s│]+", " ", result.output)


@pytest.mark.parametrize(
    "command", ["audit", "apply", "job", "job run", "import", "import crontab", "token list"]
)
def test_help_names_no_type_for_a_flag(command: str) -> None:
    said = told(*command.split(), "--help")

    assert "--help" in said
    assert "<bool>" not in said


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param("audit --from 7d", "--from (Possible options: --since)", id="since"),
        pytest.param("audit --to 7d", "--to (Possible options: --until)", id="until"),
        pytest.param("job redrive j --since 7d", "--since (Possible options: --from)", id="from"),
        pytest.param("audit --sinse 7d", "--sinse (Possible options: --since)", id="mistyped"),
        pytest.param("job list --from 7d", "No such option: --from ", id="nothing of the kind"),
    ],
)
def test_an_unknown_option_is_told_with_the_one_that_means_the_same(
    arguments: str, expected: str
) -> None:
    said = told(*arguments.split())

    assert expected in said
    assert "--group" not in said


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param("audit --limit 0", '"0" is not valid; give a whole number from 1 to 10000.'),
        pytest.param("audit --limit=-1", '"-1" is not valid; give a whole number from 1 to 10000.'),
        pytest.param("audit --limit x", '"x" is not valid; give a whole number from 1 to 10000.'),
        pytest.param(f"audit --limit {'9' * 5000}", "give a whole number from 1 to 10000."),
        pytest.param(
            "alert test a --destination x", '"x" is not valid; give a whole number of at least 0.'
        ),
    ],
    ids=["zero", "negative", "no number", "long", "without a maximum"],
)
def test_a_wrong_number_is_told_in_our_words(arguments: str, expected: str) -> None:
    said = told(*arguments.split())

    assert expected in said
    assert "Input should" not in said
