"""Attempts that lie in the past of a job, put where the engine would have put them."""

from typing import Any

from foliot.core.ids import CollectionKey
from foliot.core.instant import parse_instant
from foliot.core.model.history import AttemptStatus, HistoryEntry
from foliot.ports.store import Transaction
from tests.support.api_client import Client


def remember(client: Client, key: CollectionKey, job: str, entries: list[dict[str, Any]]) -> None:
    """Store attempts, the oldest first, given as the properties of history entries."""

    def change(transaction: Transaction) -> None:
        located = transaction.located_job(key, job)
        assert located
        found = located[1]
        assert found
        for each in entries:
            transaction.add_history(
                HistoryEntry(
                    job_id=found.id,
                    started_at=parse_instant(each["startTime"]),
                    ended_at=parse_instant(each["endTime"]),
                    expected_at=parse_instant(each["expectedExecutionTime"]),
                    status=AttemptStatus(each["status"]),
                    message=each["message"],
                    retry_count=each["retryCount"],
                    repeat_count=each["repeatCount"],
                    is_error_action=each["actionName"] == "ErrorAction",
                )
            )

    client.run(client.store.write(change))
