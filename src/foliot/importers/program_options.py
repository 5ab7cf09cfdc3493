"""Reads the options of a program: `-fsS`, `-XPOST`, `--max-time 10`, `--tries=3`."""

from collections.abc import Iterator, Mapping, Sequence

from foliot.core.errors import Invalid, shown

# The long name of each option, and whether it takes a value.
OptionTable = Mapping[str, tuple[str, bool]]


def option_table(flags: str, values: str) -> OptionTable:
    """Return the table of options that are written as `s/silent`, `X/request` or `retry`."""
    table: dict[str, tuple[str, bool]] = {}
    for text, takes_a_value in ((flags, False), (values, True)):
        for each in text.split():
            short, slash, long = each.rpartition("/")
            table[f"--{long}"] = (long, takes_a_value)
            if slash:
                table[f"-{short}"] = (long, takes_a_value)
    return table


def read_options(words: Sequence[str], table: OptionTable) -> Iterator[tuple[str, str]]:
    """Go through options by their long name, with their values; the rest has the name ""."""
    rest = iter(words[1:])
    for word in rest:
        if word == "--":
            yield from (("", each) for each in rest)
        elif word.startswith("--"):
            name, equals, value = word.partition("=")
            long, takes_a_value = _known(words[0], name, table)
            if takes_a_value:
                yield long, value if equals else _value(word, rest)
            else:
                yield long, ""
        elif word.startswith("-") and word != "-":
            yield from _short_options(words[0], word, rest, table)
        else:
            yield "", word


def _short_options(
    program: str, word: str, rest: Iterator[str], table: OptionTable
) -> Iterator[tuple[str, str]]:
    # wget has short options of two letters, such as -nv.
    if word in table and not table[word][1]:
        yield table[word][0], ""
        return
    for position, letter in enumerate(word[1:], 1):
        long, takes_a_value = _known(program, f"-{letter}", table)
        if takes_a_value:
            yield long, word[position + 1 :] or _value(word, rest)
            return
        yield long, ""


def _known(program: str, option: str, table: OptionTable) -> tuple[str, bool]:
    if option not in table:
        name = program.rpartition("/")[2]
        raise Invalid((), f"the option {shown(option)} of {name} has no counterpart in a job.")
    return table[option]


def _value(option: str, rest: Iterator[str]) -> str:
    value = next(rest, None)
    if value is None:
        raise Invalid((), f"the option {shown(option)} has no value after it.")
    return value
