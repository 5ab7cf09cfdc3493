"""What an attack is, and what came of it."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Self

from msgspec import Struct

from chaos.stage import Stage


class Result(Struct, frozen=True, kw_only=True):
    """What was tried, how often, what happened, and what should not have."""

    tried: str
    count: int
    happened: str
    objections: Sequence[str] = ()
    is_played: bool = True

    @classmethod
    def broken_off(cls, why: str) -> Self:
        """Return the result of an attack that could not be made to its end."""
        return cls(tried="", count=0, happened="", objections=[why], is_played=False)

    @property
    def holds(self) -> bool:
        """Whether the server withstood it."""
        return not self.objections


Attack = Callable[[Stage], Coroutine[Any, Any, Result]]
