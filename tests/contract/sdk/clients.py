"""Azure's own client for Python, its blocking and its aio form under one face.

Only what a user of Foliot changes is changed: the base URL, the credential, the trusted authority.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self

from azure.core.async_paging import AsyncItemPaged
from azure.core.credentials import AccessToken
from azure.core.paging import ItemPaged
from azure.core.polling import AsyncLROPoller, LROPoller
from azure.mgmt.scheduler import SchedulerManagementClient
from azure.mgmt.scheduler.aio import SchedulerManagementClient as AioManagementClient

from tests.contract.sdk.server import Server

_NEVER = 2**40  # when the token has to be fetched again, in seconds since 1970


class Operations:
    """Operations of a client; each call returns its whole answer, whatever form the client has."""

    def __init__(self, group: Any, finish: Callable[[Any], Any]) -> None:
        self._group = group
        self._finish = finish

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operation = getattr(self._group, name)
        return lambda *args, **options: self._finish(operation(*args, **options))


class Azure(AbstractContextManager["Azure"]):
    """A client that scenarios call without knowing which of the two it is."""

    jobs: Operations
    job_collections: Operations


class BlockingAzure(Azure):
    """The client that blocks."""

    def __init__(self, server: Server, subscription: str) -> None:
        self._client = SchedulerManagementClient(
            _Credential(server.token), subscription, **_options(server)
        )
        self.jobs = Operations(self._client.jobs, _finished)
        self.job_collections = Operations(self._client.job_collections, _finished)

    def __enter__(self) -> Self:
        self._client.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._client.__exit__(kind, error, at)


class AioAzure(Azure):
    """The aio client, on a loop of its own."""

    def __init__(self, server: Server, subscription: str) -> None:
        self._runner = asyncio.Runner()
        self._client = AioManagementClient(
            _AioCredential(server.token), subscription, **_options(server)
        )
        self.jobs = Operations(self._client.jobs, self._finish)
        self.job_collections = Operations(self._client.job_collections, self._finish)

    def __enter__(self) -> Self:
        self._runner.run(self._client.__aenter__())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._runner.run(self._client.__aexit__(kind, error, at))
        self._runner.close()

    def _finish(self, answer: Any) -> Any:
        return self._runner.run(_awaited(answer))


CLIENTS: dict[str, Callable[[Server, str], Azure]] = {"blocking": BlockingAzure, "aio": AioAzure}


class _Credential:
    def __init__(self, token: str) -> None:
        self._token = token

    def get_token(self, *_scopes: str, **_options: Any) -> AccessToken:
        return AccessToken(self._token, _NEVER)


class _AioCredential(_Credential):
    async def get_token(self, *scopes: str, **options: Any) -> AccessToken:
        return super().get_token(*scopes, **options)


def _options(server: Server) -> dict[str, Any]:
    # No retries: an answer that calls for one is a failure here, and the client sleeps before it.
    return {"base_url": server.url, "connection_verify": server.authority, "retry_total": 0}


def _finished(answer: Any) -> Any:
    match answer:
        case ItemPaged():
            return list(answer)
        case LROPoller():
            return answer.result()
        case _:
            return answer


async def _awaited(answer: Awaitable[Any] | AsyncItemPaged[Any]) -> Any:
    if isinstance(answer, AsyncItemPaged):
        return [item async for item in answer]
    value = await answer
    return await value.result() if isinstance(value, AsyncLROPoller) else value
