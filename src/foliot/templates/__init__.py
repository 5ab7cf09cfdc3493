"""Evaluates deployment templates of Azure Resource Manager. No I/O, no clock, no randomness.

budget             bounds the work of one evaluation: steps, produced text and depth
context_functions  functions that depend on where they stand: names, loops, ids, references
elements           the elements of an object of a template: known ones, in any letter case
evaluate           evaluates values: expressions, nested values and property loops
frame              where an expression stands: its path, its loops, what it may use there
functions/         the functions that depend on their arguments alone
lazy_values        named values that are evaluated when they are first asked for
loops              copy loops: of resources, of properties and of variables
names              what the expressions of a template can name
nested             nested deployments: templates inside a template
outputs            outputs, which are evaluated after the resources are deployed
parameters         parameters: declarations, given values and defaults
resource_graph     evaluates references between resources, and orders the resources
resource_ids       ids of resources
resources          lists resources: children named in full, loops expanded, conditions decided
scope              where and when a template is deployed
syntax             parses expressions
template           reads a template: from a document and parameters to resources
template_text      reads the text of a template: JSON in which comments are allowed
user_functions     functions that a template defines itself
value_types        the types of parameters and outputs
values             values of expressions: their kinds in words, as text, and when two are equal
variables          variables, and the loops that make some of them
"""

from foliot.core.json_text import Json
from foliot.templates.parameters import WrongParameter
from foliot.templates.resource_graph import FindResource
from foliot.templates.scope import TemplateScope
from foliot.templates.template import Template, TemplateResource, read_template
from foliot.templates.template_text import parse_template

__all__ = [
    "FindResource",
    "Json",
    "Template",
    "TemplateResource",
    "TemplateScope",
    "WrongParameter",
    "parse_template",
    "read_template",
]
