"""Changes of the demo: what the audit log tells of one job."""

from msgspec import structs

from foliot.core.instant import DAY, HOUR, Instant
from foliot.core.model.audit import Author
from foliot.core.model.change import Change
from foliot.core.model.collection import Collection
from foliot.core.rules.audit_entries import job_entry
from foliot.ports.store import Transaction


def add_changes(to: Transaction, collection: Collection, job_name: str, now: Instant) -> None:
    """Add the creation of a job, and two changes of it."""
    located = to.located_job(collection.key, job_name)
    job = None if located is None else located[1]
    assert job is not None
    first, second = (
        structs.replace(job, definition=structs.replace(job.definition, description=words))
        for words in (None, "Asks the bank for payments")
    )
    ci, person = (
        Author(name=name, token_id=number, address="10.2.0.7")
        for number, name in ((1, "ci-deploy"), (3, "invoice-service"))
    )
    for before, after, ago, author in (
        (None, first, 45 * DAY, ci),
        (first, second, 9 * DAY, person),
        (second, job, 3 * HOUR, ci),
    ):
        change = Change(Instant(now - ago), author.name, author)
        to.add_audit_entries(job_entry(change, collection.key, before, after))
