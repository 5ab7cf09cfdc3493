"""What the expressions of one template can name: parameters, variables, functions, resources."""

from collections.abc import Callable, Mapping

from foliot.core.json_text import Json
from foliot.templates.frame import Frame
from foliot.templates.lazy_values import LazyValues
from foliot.templates.scope import TemplateScope

UserFunction = Callable[[Frame, list[Json]], Json]
"""A function of the template, called with the frame of the call and its arguments."""


class Names:
    """The names of one template; it fills while the template is read.

    `reference` gives a resource by its name or id: its properties, or all of it.
    """

    parameters: LazyValues
    variables: LazyValues
    reference: Callable[[str, bool], Json]

    def __init__(self, scope: TemplateScope, outer: "Names | None" = None) -> None:
        self.scope = scope
        self.functions: Mapping[str, UserFunction] = {}
        self.secrets: set[str] = set() if outer is None else outer.secrets
        self.guids = 0
        self._outer = outer

    def refer(self, name: str, *, full: bool) -> Json:
        """Find a resource; a nested template sees those of the outer one."""
        if self._outer is not None:
            return self._outer.refer(name, full=full)
        return self.reference(name, full)
