"""What each client makes of an answer, by what it asked for."""

from collections.abc import Callable
from functools import partial
from typing import Any

from tests.contract.clients import powershell, terraform
from tests.contract.clients.contract_types import MODELS, JsonLibrary, Type
from tests.contract.clients.json_libraries import DOTNET, GO, JAVA
from tests.support.api_client import Reply

Reader = Callable[[Reply], Any]


def _of_body(read: Callable[[Any], Any]) -> Reader:
    return lambda reply: read(reply.json)


def _model(library: JsonLibrary, model: Type) -> Callable[[Any], Any]:
    return lambda answer: model(answer, library)


def _error(library: JsonLibrary, answer: Any) -> dict[str, str]:
    return MODELS["error"](answer, library)["error"]


def _is_empty(reply: Reply) -> bool:
    return reply.content == b""


def _readers(library: JsonLibrary, **special: Callable[[Any], Any]) -> dict[str, Reader]:
    models = {name: _model(library, model) for name, model in MODELS.items()}
    read = models | {"error": partial(_error, library)} | special
    return {name: _of_body(each) for name, each in read.items()} | {"empty": _is_empty}


READERS: dict[str, dict[str, Reader]] = {
    "powershell": _readers(
        DOTNET,
        subscription=powershell.subscription,
        subscriptions=powershell.subscriptions,
        has_tenants=powershell.has_tenants,
        has_west_us=lambda answer: "West US" in powershell.regions(answer),
        collection=powershell.collection,
        collections=powershell.collections,
        limit=powershell.limit_of_jobs,
        names=powershell.names_of_collections,
        job=powershell.job,
        count=powershell.number_of_jobs,
        jobs=powershell.jobs,
        history=powershell.history,
    ),
    "dotnet": _readers(DOTNET),
    "terraform": _readers(
        GO,
        group=terraform.group,
        collection=terraform.collection,
        job=terraform.job,
        providers=terraform.providers,
    ),
    "go": _readers(GO),
    "java": _readers(JAVA),
}
