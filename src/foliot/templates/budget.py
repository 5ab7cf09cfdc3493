"""Bounds the work of one evaluation: steps, produced text and depth, whatever a template says.

A step is a quarter of a microsecond or less. What a function reads and makes is counted node by
node: neither many cheap calls nor one expensive call can take long.
"""

from collections.abc import Iterable

from foliot.core.errors import Invalid
from foliot.core.json_text import Json

MAX_STEPS = 1_500_000
MAX_TEXT = 4 * 2**20
MAX_STRING = 2**20
MAX_ITEMS = 20_000
MAX_DEPTH = 100
MAX_LEVELS = 64
MAX_COPIES = 800

_STEPS_OF_A_CALL = 10
_STEPS_OF_AN_OBJECT = 200
_STEPS_OF_A_TOKEN = 8
_STEPS_OF_A_KEPT_NODE = 5
_CHARACTERS_OF_A_STEP = 16


class Budget:
    """What one evaluation may still do."""

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Begin another evaluation: nothing is spent."""
        self._steps = MAX_STEPS
        self._text = MAX_TEXT
        self._depth = 0

    def call(self) -> None:
        """Count a call of a function."""
        self._spend(_STEPS_OF_A_CALL)

    def read_object(self) -> None:
        """Count a resource, a loop or an output whose elements are read."""
        self._spend(_STEPS_OF_AN_OBJECT)

    def look_at(self, names: int) -> None:
        """Count names that are compared, or dependencies."""
        self._spend(names)

    def parse(self, tokens: int) -> None:
        """Count the tokens of an expression that is parsed."""
        self._spend(_STEPS_OF_A_TOKEN * tokens)

    def read(self, value: Json, weight: int = 1) -> None:
        """Count a value that a function reads, or has made."""
        nodes, characters = self._size(value)
        self._spend(weight * (nodes + characters // _CHARACTERS_OF_A_STEP))

    def keep(self, value: Json) -> None:
        """Count a value that becomes part of a variable, a resource or an output."""
        nodes, characters = self._size(value)
        self._spend(_STEPS_OF_A_KEPT_NODE * nodes)
        self._text -= characters
        if self._text < 0:
            problem = f"the template produces more than {MAX_TEXT} characters; make it smaller."
            raise Invalid((), problem)

    def enter(self, nodes: int = 0) -> None:
        """Enter one more level of calls and nested values, with so many values in it."""
        self._spend(_STEPS_OF_A_CALL * nodes)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Invalid((), f"is nested too deeply; {MAX_DEPTH} levels are allowed.")

    def leave(self) -> None:
        """Leave a level."""
        self._depth -= 1

    def _spend(self, steps: int) -> None:
        self._steps -= steps
        if self._steps < 0:
            raise Invalid(
                (), f"the template needs more than the {MAX_STEPS} steps that are allowed."
            )

    def _size(self, value: Json) -> tuple[int, int]:
        """Count nodes and characters level by level, as far as steps are left.

        The parts of a value may be shared: it can be much larger than the memory it takes.
        """
        if not isinstance(value, dict | list):
            return 1, len(value) if isinstance(value, str) else 0
        nodes, characters, levels = 1, 0, 0
        level: list[list[Json] | dict[str, Json]] = [value]
        while level and nodes <= self._steps:
            levels += 1
            if levels > MAX_LEVELS:
                raise Invalid((), f"a value has more than {MAX_LEVELS} levels; make it flatter.")
            inside: list[list[Json] | dict[str, Json]] = []
            for each in level:
                nodes += len(each)
                if isinstance(each, dict):
                    characters += sum(map(len, each))
                    parts: Iterable[Json] = each.values()
                else:
                    parts = each
                for part in parts:
                    if isinstance(part, str):
                        characters += len(part)
                    elif isinstance(part, dict | list):
                        inside.append(part)
                if nodes > self._steps:
                    break
            level = inside
        return nodes, characters


def refuse_long(length: int) -> None:
    """Refuse a string before it is made, if it would be too long."""
    if length > MAX_STRING:
        raise Invalid((), f"a string of {length} characters is too long; {MAX_STRING} are allowed.")


def refuse_many(count: int) -> None:
    """Refuse an array before it is made, if it would be too long."""
    if count > MAX_ITEMS:
        raise Invalid((), f"an array of {count} elements is too long; {MAX_ITEMS} are allowed.")
