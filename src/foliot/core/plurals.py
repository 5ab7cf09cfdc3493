"""Nouns after a number: "1 job", "2 jobs", "1,200 entries"."""


def how_many(count: int, noun: str) -> str:
    """Say a number with its noun, which is given in the singular."""
    return f"{count:,} {noun_after(count, noun)}"


def noun_after(count: int, noun: str) -> str:
    """Return a noun as it stands after a number."""
    if count == 1:
        return noun
    is_regular = noun[-1:] != "y" or noun[-2:-1] in "aeiou"
    return f"{noun}s" if is_regular else f"{noun[:-1]}ies"
