"""The JSON of a job, as its forms and pages have it."""

from foliot.api.wire.clients import ANY_CLIENT
from foliot.api.wire.job import encode_definition
from foliot.core.json_text import Json
from foliot.core.model.job import Job


def body_of(job: Job) -> dict[str, Json]:
    """Return the body of a PUT that creates this job, without secrets."""
    definition = encode_definition(job.definition, ANY_CLIENT)
    return {"properties": {**definition, "state": job.state.value}}
