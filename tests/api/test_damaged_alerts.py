"""Alerts whose definition cannot be opened: they can be deleted, and nothing else."""

import pytest

from foliot.store.sealing.keyring import Keyring
from tests.api.test_alerts import ALERTS, NIGHTLY, OWN, an_alert, put
from tests.support.api_client import Client

OTHERS_KEY = Keyring([b"x" * 32]).seal(b"definition", b"")


def close(client: Client, sealed: bytes) -> None:
    """Store another definition for the alert, past the store."""
    collection_id = client.collection().id
    alert = client.run(client.store.read(lambda reading: reading.alert(collection_id, "nightly")))
    what = {
        "id": alert.id,
        "is_enabled": 1,
        "changed_at": 0,
        "changed_by": None,
        "sealed": sealed,
    }
    client.run(client.store.write(lambda to: to._change("save_alert", what)))  # noqa: SLF001


@pytest.mark.parametrize(
    ("sealed", "status"), [(b"damaged", 409), (OTHERS_KEY, 503)], ids=["damaged", "another key"]
)
def test_a_closed_alert_is_told_and_can_be_deleted(
    billing: Client, sealed: bytes, status: int
) -> None:
    put(billing)
    close(billing, sealed)
    before = billing.state()

    replies = [
        billing.get(ALERTS, query=OWN),
        billing.get(NIGHTLY, query=OWN),
        put(billing, description="other"),
        billing.patch(NIGHTLY, {}, query=OWN),
    ]

    assert [each.status for each in replies] == [status] * 4
    assert all("The definition of the alert 'nightly'" in each.message for each in replies)
    assert billing.state() == before
    assert billing.delete(NIGHTLY, query=OWN).status == 200
    assert billing.put(NIGHTLY, an_alert(), query=OWN).status == 201
