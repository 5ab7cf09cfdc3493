"""Deployments: the port's readings and changes, as named statements; records are sealed."""

from collections.abc import Sequence

import msgspec

from foliot.core.errors import Conflict, Unavailable
from foliot.core.model.deployment import Deployment, DeploymentKey
from foliot.store.sealing.keyring import CannotOpen, KeyNotGiven, Keyring
from foliot.store.sql.access import SqlAccess
from foliot.store.sql.dialect import Parameters

# How many surplus records one deployment removes at most: each adds one at most.
_TRIMMED_AT_ONCE = 100

# JSON holds every number that a client can send; msgpack does not.
_write_record = msgspec.json.Encoder().encode
_read_record = msgspec.json.Decoder(Deployment).decode


class SqlDeploymentReading(SqlAccess):
    """Satisfies `ports.store.deployments.DeploymentReading`."""

    def deployment(self, key: DeploymentKey) -> Deployment | None:
        """Return a deployment."""
        row = self._row("deployment", _columns(key))
        return None if row is None else _opened(row[0], key.folded, self._keyring)

    def deployments(
        self,
        subscription: str,
        group: str,
        *,
        after: str | None = None,
        skip: int = 0,
        limit: int = 100,
    ) -> Sequence[Deployment]:
        """Return the deployments of a group by folded name."""
        folded = subscription.lower(), group.lower()
        page = {
            "subscription": folded[0],
            "group": folded[1],
            "after": (after or "").lower(),
            "skip": skip,
            "limit": limit,
        }
        rows = self._run("deployments", page)
        return [_opened(sealed, (*folded, name), self._keyring) for name, sealed in rows]

    def count_deployments(self, subscription: str, group: str) -> int:
        """Return how many deployments a group has."""
        what = {"subscription": subscription.lower(), "group": group.lower()}
        return self._number("count_deployments", what)


class SqlDeploymentChanges(SqlAccess):
    """Satisfies `ports.store.deployments.DeploymentChanges`."""

    def save_deployment(self, deployment: Deployment, *, kept: int | None) -> bool:
        """Store a deployment in place of an older one of its key; tell whether there was none."""
        key = deployment.key
        sealed = self._keyring.seal(_write_record(deployment), deployment_context(*key.folded))
        row = _columns(key) | {"deployed_at": deployment.deployed_at, "sealed": sealed}
        if self._change("replace_deployment", row):
            return False
        self._change("add_deployment", row)
        if kept is not None:
            surplus = {"kept": kept - 1, "limit": _TRIMMED_AT_ONCE}
            self._change("trim_deployments", _columns(key) | surplus)
        return True

    def delete_deployment(self, key: DeploymentKey) -> bool:
        """Remove a deployment; tell whether it existed."""
        return self._change("delete_deployment", _columns(key)) > 0

    def delete_deployments(self, subscription: str, group: str) -> None:
        """Remove all deployments of a group."""
        what = {"subscription": subscription.lower(), "group": group.lower()}
        self._change("delete_deployments", what)


def deployment_context(subscription: str, group: str, name: str) -> bytes:
    """Return what a record is sealed with, so that it does not open as another deployment's."""
    return f"deployment {subscription}/{group}/{name}".encode()


def _columns(key: DeploymentKey) -> Parameters:
    subscription, group, name = key.folded
    return {"subscription": subscription, "group": group, "name": name}


def _opened(sealed: bytes, folded: tuple[str, str, str], keyring: Keyring) -> Deployment:
    said = f"The record of the deployment '{folded[2]}'"
    try:
        return _read_record(keyring.open(sealed, deployment_context(*folded)))
    except KeyNotGiven:
        raise Unavailable(f"{said} was sealed with a key that this node was not given.") from None
    except CannotOpen as refusal:
        raise Conflict(f"{said} cannot be read: {refusal}.") from None
    except msgspec.MsgspecError:
        raise Unavailable(f"{said} is not one that this version of Foliot knows.") from None
