"""Variables of a template, and the loops that make some of them."""

from foliot.core.json_text import Json
from foliot.templates.elements import Elements
from foliot.templates.evaluate import Evaluator
from foliot.templates.frame import Frame, Place
from foliot.templates.lazy_values import LazyValues
from foliot.templates.loops import CopyLoop, read_property_loops, refuse_twins


def read_variables(evaluator: Evaluator, declared: Elements) -> None:
    """Read the variables; afterwards `variables()` evaluates each when it is asked for."""
    path = declared.at("variables")
    documents: dict[str, Json | CopyLoop] = dict(declared.object("variables"))
    loops = read_property_loops(declared.object("variables"), path, evaluator.budget)
    if loops is not None:
        del documents["copy"]
        refuse_twins([*documents, *(loop.name for loop in loops)], path)
        documents |= {loop.name: loop for loop in loops}
    refuse_twins(list(documents), path)

    def compute(name: str) -> Json:
        document = documents[name]
        if isinstance(document, CopyLoop):
            return evaluator.loop(document, Frame(Place.VARIABLE, path))
        return evaluator.value(document, Frame(Place.VARIABLE, (*path, name)))

    names = evaluator.names
    names.variables = LazyValues("variables", documents, compute, names.secrets)
