"""All functions that depend on their arguments alone, and why some of the language are refused."""

from foliot.templates.functions.arrays import ARRAY_FUNCTIONS
from foliot.templates.functions.dates import DATE_FUNCTIONS
from foliot.templates.functions.encoding import ENCODING_FUNCTIONS
from foliot.templates.functions.logic import LOGIC_FUNCTIONS
from foliot.templates.functions.signature import Function
from foliot.templates.functions.text import TEXT_FUNCTIONS

FUNCTIONS: dict[str, Function] = {
    **TEXT_FUNCTIONS,
    **ENCODING_FUNCTIONS,
    **ARRAY_FUNCTIONS,
    **LOGIC_FUNCTIONS,
    **DATE_FUNCTIONS,
}

_CLOUD = "Foliot does not ask Azure; pass the value as a parameter"
_LAMBDA = "lambda expressions are not supported; use a copy loop"

REFUSED_FUNCTIONS: dict[str, str] = {
    "cidrHost": "networks are no subject of a scheduler",
    "cidrSubnet": "networks are no subject of a scheduler",
    "deployer": _CLOUD,
    "environment": _CLOUD,
    "filter": _LAMBDA,
    "getSecret": _CLOUD,
    "groupBy": _LAMBDA,
    "lambda": _LAMBDA,
    "managementGroup": "Foliot has no management groups",
    "managementGroupResourceId": "Foliot has no management groups",
    "map": _LAMBDA,
    "mapValues": _LAMBDA,
    "parseCidr": "networks are no subject of a scheduler",
    "pickZones": _CLOUD,
    "providers": _CLOUD,
    "reduce": _LAMBDA,
    "sort": _LAMBDA,
    "toLogicalZone": _CLOUD,
    "toObject": _LAMBDA,
    "toPhysicalZone": _CLOUD,
}
LIST_FUNCTION_REASON = "it would ask Azure for keys, and Foliot does not; pass them as a parameter"
