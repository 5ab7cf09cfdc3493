"""The rows of the table of settings that are about monitoring: metrics and traces."""

from foliot.serve.settings import parsers
from foliot.serve.settings.parsers import whole_number
from foliot.serve.settings.setting import Setting
from foliot.serve.settings.value_text import count_text

# Each has about thirty series.
_MAX_COLLECTIONS = 1000

MONITORING = (
    Setting(
        "metrics_collections",
        whole_number(0, _MAX_COLLECTIONS),
        "Collections with metrics of their own.",
        details="The first ones that were created; all others are counted together. See"
        " [metrics](metrics.md#collections).",
        show=count_text,
    ),
    Setting(
        "tracing",
        parsers.FLAG,
        "Export a span for each run and each attempt, over OTLP.",
        details="Needs the extra `foliot[otel]`; the variables `OTEL_…` say where to. See"
        " [OpenTelemetry](../how-to/opentelemetry.md).",
    ),
)
