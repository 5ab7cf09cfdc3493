"""Finds the one program that a shell command runs, and what the shell adds to it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, structs

from foliot.core.errors import Invalid, shown
from foliot.importers.shell_words import Operator, ShellToken, split_command

NO_COMMANDS = (
    "Foliot sends requests and messages, it runs no commands; let an HTTP service or a worker "
    "behind a queue run it, and call that."
)

# The programs that send requests.
HTTP_PROGRAMS = frozenset({"curl", "curl.exe", "wget"})

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_REDIRECTION = re.compile(r"[0-9]?(?:&>>?|>>|>&|>\||>|<<<|<)")
_SHELLS = frozenset({"sh", "bash", "dash", "ash", "zsh", "ksh"})
# Commands that only show or keep the output of the one before them.
_OUTPUT_READERS = frozenset({"logger", "tee", "cat", "ts", "mail", "mailx", "head", "tail"})
_HARMLESS = frozenset({"true", ":", "exit", "echo", "logger", "printf", "wait"})
_PREPARATIONS = frozenset({"cd", "set", "umask", ":", "true", "echo"})
_CONDITIONS = frozenset({"test", "["})
_DURATION = re.compile(r"([0-9]{1,7})(?:\.[0-9]+)?([smhd]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_MAX_SHELLS = 4


class ShellCommand(Struct, frozen=True, kw_only=True):
    """A program with its arguments, and what the shell around it said.

    `stdin` is a text, or a placeholder for a file. `overlap` is what a lock file stands for.
    """

    words: tuple[str, ...]
    stdin: str | None = None
    timeout: int | None = None
    overlap: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        """The name of the program, without its directory."""
        return _name(self.words)


def read_command(
    text: str, variables: Mapping[str, str], *, stdin: str | None = None, shells: int = 0
) -> ShellCommand:
    """Read a command line of one program; several programs are refused."""
    tokens, found = _redirected(split_command(text, variables), ShellCommand(words=(), stdin=stdin))
    words, notes = _main_segment(_segments(tokens))
    found = structs.replace(found, notes=(*found.notes, *notes))
    return _unwrapped(words, dict(variables), found, shells=shells)


def read_words(words: Sequence[str], variables: Mapping[str, str]) -> ShellCommand:
    """Read a program with its arguments that no shell has to split."""
    return _unwrapped(list(words), dict(variables), ShellCommand(words=()), shells=0)


def _redirected(
    tokens: Sequence[ShellToken], found: ShellCommand
) -> tuple[list[ShellToken], ShellCommand]:
    """Take the redirections out of a command."""
    kept: list[ShellToken] = []
    rest = iter(tokens)
    for token in rest:
        if not isinstance(token, Operator) or not _REDIRECTION.fullmatch(token.text):
            kept.append(token)
            continue
        target = next(rest, None)
        if not isinstance(target, str):
            raise Invalid((), f"the command has {shown(token.text)} without a file after it.")
        found = _with_redirection(found, token.text.lstrip("0123456789"), target)
    return kept, found


def _with_redirection(found: ShellCommand, operator: str, target: str) -> ShellCommand:
    if operator == "<<<":
        return structs.replace(found, stdin=f"{target}\n")
    if operator == "<":
        return structs.replace(found, stdin=f"${{file:{target}}}")
    if operator == ">&" or target == "/dev/null":
        return found
    note = f"the output went to {target}; history keeps the beginning of each response"
    return structs.replace(found, notes=(*found.notes, note))


class _Segment(NamedTuple):
    """Words up to an operator; `before` is the operator that stands before them."""

    before: str
    words: list[str]


def _segments(tokens: Sequence[ShellToken]) -> list[_Segment]:
    segments = [_Segment("", [])]
    for token in tokens:
        if isinstance(token, str):
            segments[-1].words.append(token)
        elif token.text in "()" or token.text == "<<":
            raise Invalid((), f"the command has {shown(token.text)}. {NO_COMMANDS}")
        else:
            segments.append(_Segment(token.text, []))
    return [each for each in segments if each.words]


def _main_segment(segments: list[_Segment]) -> tuple[list[str], list[str]]:
    """Return the words of the one program that does the work, and notes on the others."""
    notes: list[str] = []
    while len(segments) > 1 and segments[0].words[0] in (*_PREPARATIONS, *_CONDITIONS):
        if segments[0].words[0] in _CONDITIONS:
            notes.append(f"the condition before it is left out: {' '.join(segments[0].words)}")
        segments = segments[1:]
    if not segments:
        raise Invalid((), "the command is empty.")
    main, *others = segments
    if main.words[0] == "sleep" and others:
        raise Invalid(
            (),
            f"the command waits ({' '.join(main.words)}) before it works; give the job a startTime "
            "at that second and a frequency, or a jitter in its policy.",
        )
    return main.words, [*notes, *_notes_on(others, _name(main.words))]


def _name(words: Sequence[str]) -> str:
    """Return the name of the program that words run, without its directory."""
    return words[0].rpartition("/")[2] if words else ""


def _fails(program: str, words: Sequence[str]) -> bool:
    """Tell whether a command fails by itself, so that the failure before it stays one."""
    return program == "false" or (program == "exit" and words[1:] != ["0"])


def _notes_on(others: Sequence[_Segment], main: str) -> Iterator[str]:
    for operator, words in others:
        program = _name(words)
        if operator == "&" and all(_ASSIGNMENT.fullmatch(each) for each in words):
            names = " and ".join(each.partition("=")[0] for each in words)
            yield f"an & without quotes ended the address: {names} was never sent"
        elif operator == "||" and _fails(program, words):
            continue
        elif operator == "||" and program in _HARMLESS:
            yield "the shell ignored failures; Foliot counts them"
        elif operator == "||":
            yield f"what ran after a failure is left out: {program}; an errorAction may do it"
        elif operator == "|" and program in _OUTPUT_READERS:
            yield f"the output went to {program}; history keeps the beginning of each response"
        elif operator in (";", "&&") and program in _HARMLESS:
            yield f"{shown(' '.join(words))} is left out"
        elif program in HTTP_PROGRAMS and main in HTTP_PROGRAMS:
            raise Invalid((), "the command sends several requests; a job sends exactly one.")
        else:
            other = main if program in HTTP_PROGRAMS else program
            raise Invalid((), f"the command runs {other} besides. {NO_COMMANDS}")


def _unwrapped(
    words: list[str], variables: dict[str, str], found: ShellCommand, *, shells: int
) -> ShellCommand:
    """Take away assignments and programs that only start another one."""
    while words:
        assignment = _ASSIGNMENT.fullmatch(words[0])
        program = _name(words)
        if assignment is not None:
            variables[assignment[1]] = assignment[2]
            words = words[1:]
        elif program in _SHELLS and len(words) > 1 and _is_script(words[1]):
            return _inner_shell(words, variables, found, shells=shells)
        elif program in _WRAPPERS:
            words, found = _without_wrapper(program, words[1:], found)
        else:
            break
    return structs.replace(found, words=tuple(words))


def _is_script(option: str) -> bool:
    return option.startswith("-") and option.endswith("c")


def _inner_shell(
    words: list[str], variables: dict[str, str], found: ShellCommand, *, shells: int
) -> ShellCommand:
    if len(words) < 3:  # noqa: PLR2004  (sh -c TEXT)
        raise Invalid((), f"the command starts {words[0]} without a command. {NO_COMMANDS}")
    if shells >= _MAX_SHELLS:
        raise Invalid((), f"the command starts more than {_MAX_SHELLS} shells inside each other.")
    inner = read_command(words[2], variables, stdin=found.stdin, shells=shells + 1)
    return structs.replace(
        inner,
        timeout=inner.timeout or found.timeout,
        overlap=inner.overlap or found.overlap,
        notes=(*found.notes, *inner.notes),
    )


# Programs that start another one, with the options of theirs that take a value.
_WRAPPERS: dict[str, frozenset[str]] = {
    "chronic": frozenset(),
    "command": frozenset(),
    "cronic": frozenset(),
    "env": frozenset({"-u"}),
    "exec": frozenset(),
    "flock": frozenset({"-w", "-E", "--wait", "--timeout"}),
    "ionice": frozenset({"-c", "-n"}),
    "nice": frozenset({"-n"}),
    "nohup": frozenset(),
    "setsid": frozenset(),
    "sudo": frozenset({"-u", "-g"}),
    "time": frozenset(),
    "timeout": frozenset({"-k", "-s"}),
}
_TAKE_A_WORD = frozenset({"flock", "timeout"})


def _without_wrapper(
    program: str, words: list[str], found: ShellCommand
) -> tuple[list[str], ShellCommand]:
    options: list[str] = []
    while words and words[0].startswith("-"):
        size = 2 if words[0] in _WRAPPERS[program] else 1
        options += words[:size]
        words = words[size:]
    if program in _TAKE_A_WORD and words:
        found = _with_wrapper(program, words[0], options, found)
        words = words[1:]
    if program == "flock" and words[:1] == ["-c"]:
        words = ["sh", *words]
    return words, found


def _with_wrapper(
    program: str, word: str, options: Sequence[str], found: ShellCommand
) -> ShellCommand:
    if program == "timeout":
        duration = _DURATION.fullmatch(word)
        if duration is None:
            return found
        return structs.replace(found, timeout=int(duration[1]) * _SECONDS[duration[2]])
    is_skipped = bool({"-n", "--nb", "--nonblock", "-xn", "-nx"} & set(options))
    return structs.replace(found, overlap="skip" if is_skipped else "queue")
