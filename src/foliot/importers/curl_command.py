"""A job as a command line of curl that creates it."""

import json
from typing import Final

from foliot.core.json_text import Json
from foliot.importers.exported_jobs import ExportedJob, VariableNames, heading, rewritten
from foliot.importers.hidden_text import HiddenText
from foliot.importers.template_resources import API_VERSION

# Between here-document marks a shell still reads these.
_READ_BY_SHELL: Final = str.maketrans({"\\": "\\\\", "$": "\\$", "`": "\\`"})


def curl_command(job: ExportedJob, address: str) -> str:
    """Return a command that sends a job to its address; secrets are variables of the shell."""
    names, marks, fence = VariableNames(), dict[str, str](), _fence(job)

    def hidden(text: HiddenText) -> str:
        return "".join(
            part if isinstance(part, str) else _mark(marks, names.name(job, part), fence)
            for part in text.parts
        )

    written = _written(rewritten(job.properties, str, hidden)).translate(_READ_BY_SHELL)
    for mark, name in marks.items():
        written = written.replace(mark, f"${{{name}}}")
    quoted = f"{address}?api-version={API_VERSION}".replace("'", "'\\''")
    return (
        f"{heading(names, 'the command, written as in JSON')}"
        f"curl -fsS -X PUT '{quoted}' \\\n"
        '  -H "Authorization: Bearer $FOLIOT_TOKEN" \\\n'
        "  -H 'Content-Type: application/json' \\\n"
        f"  --data-binary @- <<END_OF_JOB\n{written}\nEND_OF_JOB\n"
    )


def _mark(marks: dict[str, str], name: str, fence: str) -> str:
    """Return what stands for a variable until the rest of the text is escaped."""
    mark = f"{fence}{len(marks)};"
    marks[mark] = name
    return mark


def _fence(job: ExportedJob) -> str:
    """Return a text that the job does not contain: it must not name a variable by itself."""

    def visible(text: HiddenText) -> str:
        return "".join(part for part in text.parts if isinstance(part, str))

    written, fence = _written(rewritten(job.properties, str, visible)), "\ue000"
    while fence in written:
        fence += "\ue000"
    return fence


def _written(properties: Json) -> str:
    return json.dumps({"properties": properties}, indent=2, ensure_ascii=False)
