"""Where an expression stands: its path, the copy loops around it, and what it may use there."""

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

from foliot.core.errors import Path
from foliot.core.json_text import Json


class Place(Enum):
    """A part of a template, in words for a message."""

    DEFAULT = "the default value of a parameter"
    VARIABLE = "a variable"
    HEADER = "the name, type, condition, copy or dependsOn of a resource"
    PROPERTY = "the properties of a resource"
    OUTPUT = "an output"
    FUNCTION = "a function of the template"


class Loop(NamedTuple):
    """A copy loop, at one of its iterations."""

    name: str
    iteration: int
    is_of_resource: bool


class Frame(NamedTuple):
    """The surroundings of an expression; `arguments` are those of a function of the template."""

    place: Place
    path: Path
    loops: tuple[Loop, ...] = ()
    arguments: Mapping[str, Json] | None = None

    def at(self, part: str | int) -> "Frame":
        """Return the frame of a part of the value."""
        return Frame(self.place, (*self.path, part), self.loops, self.arguments)

    def inside(self, loop: Loop) -> "Frame":
        """Return the frame of one iteration of a loop."""
        return Frame(self.place, self.path, (*self.loops, loop), self.arguments)
