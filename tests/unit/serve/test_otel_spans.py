"""What the variables of OpenTelemetry make of a tracer, and what the document says of spans."""

import re
from pathlib import Path
from threading import Event

import pytest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

from foliot.core.errors import CannotStart
from foliot.serve import otel_spans
from foliot.serve.otel_spans import OtelTracer, close_within, open_tracer

DOCUMENT = Path(__file__).parents[3] / "docs/how-to/opentelemetry.md"
ATTRIBUTE = re.compile(r"""["`]((?:foliot|http|server|messaging|error)\.[a-z_.]+)["`]""")


def test_the_document_names_every_attribute_and_no_other() -> None:
    source = Path(otel_spans.__file__).read_text()

    # The name of the logger looks like one.
    written = set(ATTRIBUTE.findall(source)) - {"foliot.serve"}

    assert set(ATTRIBUTE.findall(DOCUMENT.read_text())) == written


@pytest.mark.parametrize(
    "environ",
    [{"OTEL_SDK_DISABLED": " TRUE "}, {"OTEL_TRACES_EXPORTER": "none"}],
    ids=["disabled", "no exporter"],
)
def test_variables_can_turn_tracing_off(environ: dict[str, str]) -> None:
    assert open_tracer("node", environ) is None


@pytest.mark.parametrize(
    ("name", "value", "right"),
    [
        ("OTEL_TRACES_EXPORTER", "zipkin", "otlp, console or none"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "http/protobuf"),
        ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/json", "http/protobuf"),
    ],
)
def test_what_cannot_be_exported_to_is_refused(name: str, value: str, right: str) -> None:
    with pytest.raises(CannotStart, match=f"^{name}: '{value}'; .*{right}"):
        open_tracer("node", {name: value})


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, "foliot"),
        ({"OTEL_SERVICE_NAME": "mine"}, "mine"),
        ({"OTEL_RESOURCE_ATTRIBUTES": "a=b, service.name=mine"}, "mine"),
    ],
    ids=["own name", "name of the service", "attribute"],
)
def test_a_service_has_the_name_that_the_operator_gives(
    environ: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in environ.items():
        monkeypatch.setenv(name, text)

    tracer = open_tracer("node 7", {"OTEL_TRACES_EXPORTER": "console"} | environ)

    assert tracer is not None
    tracer.close()
    assert tracer.resource.attributes["service.name"] == expected
    assert tracer.resource.attributes["service.instance.id"] == "node 7"


class Stuck(SpanProcessor):
    """A processor that never ends by itself."""

    def __init__(self, stop: Event) -> None:
        self._stop = stop

    def shutdown(self) -> None:
        self._stop.wait()


def test_nobody_waits_long_for_a_processor_that_does_not_end() -> None:
    stop = Event()
    tracer = OtelTracer(Stuck(stop), ALWAYS_ON, Resource({}))

    close_within(tracer, 0.01)

    stop.set()
