"""Jobs that are due, built from the recurrence of a JSON body."""

from typing import Any

from foliot.api.wire.json_reader import Properties
from foliot.api.wire.schedule import decode_recurrence, decode_start
from foliot.core.ids import CollectionId
from foliot.core.instant import parse_instant
from foliot.core.model.dashboard import ComingJob
from foliot.core.model.job import Definition
from foliot.core.rules.lifecycle import Revision, create
from tests.support.builders import DEFINITION, a_collection

NOW = parse_instant("2026-01-10T00:30:00Z")


def a_coming_job(start: str | None = None, **recurrence: Any) -> ComingJob:
    given = Properties({"recurrence": recurrence or None, "startTime": start})
    definition = Definition(
        action=DEFINITION.action, start=decode_start(given), recurrence=decode_recurrence(given)
    )
    job = create(CollectionId(1), "a", Revision(definition), NOW)
    return ComingJob(a_collection(), job)
