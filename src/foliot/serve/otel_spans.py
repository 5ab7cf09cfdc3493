"""Spans of runs and attempts, exported over OTLP by the SDK of OpenTelemetry.

Only this module imports it, and only a server with tracing imports this module. Spans are made when
they have ended, with ids that follow from the tag of the run and the id of the request: so nothing
is kept meanwhile, and attempts of several nodes at one run are of one trace.
"""

import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from importlib import metadata
from typing import Final

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter
from opentelemetry.sdk.trace.sampling import Sampler
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags, TraceState

from foliot.core.errors import CannotStart, origin_of
from foliot.core.instant import SECOND, UNIX_EPOCH, Instant, format_instant
from foliot.core.model.action import Action, HttpRequest, ServiceBusMessage
from foliot.core.model.attempt import Attempt, Expired, Outcome
from foliot.core.model.run import DueRun, Phase, Trigger
from foliot.core.model.run_outcome import RunOutcome
from foliot.core.rules.retries import action_of
from foliot.ports.logs import collection_text, get_logger
from foliot.ports.metrics import SettledAttempt

_HEX_DIGITS: Final = 32
_SPAN_DIGITS: Final = 16
_NANOSECONDS_PER_TICK: Final = 10**9 // SECOND
_NEVER: Final = TraceFlags(TraceFlags.DEFAULT)
_SAMPLED: Final = TraceFlags(TraceFlags.SAMPLED)
_UNSET, _ERROR = Status(StatusCode.UNSET), StatusCode.ERROR
# Their planned time may be long ago: a span from there would show nothing.
_OF_THE_PAST: Final = frozenset({Trigger.CATCH_UP, Trigger.REDRIVE, Trigger.BACKFILL})
_KEPT_CONTEXTS: Final = 4096
_PROTOCOL: Final = "http/protobuf"

_log = get_logger("foliot.serve")

Attributes = dict[str, str | int]


class OtelTracer:
    """Satisfies `ports.tracing.Tracer`.

    The processor has a thread that exports, and a queue with an end: while the collector is away,
    the oldest spans are dropped.
    """

    def __init__(self, processor: SpanProcessor, sampler: Sampler, resource: Resource) -> None:
        self._processor = processor
        self._sampler = sampler
        self.resource = resource
        # Each run needs its own three times within seconds, and one takes 3 µs to make.
        self._context_of_run = lru_cache(maxsize=_KEPT_CONTEXTS)(self._new_context)
        self._scope = InstrumentationScope("foliot", metadata.version("foliot"))

    def headers(self, due: DueRun, request_id: str) -> Mapping[str, str]:
        """Return `traceparent`, and `tracestate` if the sampler sets one."""
        run = self._context_of_run(due.run.tag)
        flags = int(run.trace_flags)
        span_id = _attempt_id(request_id)
        found = {"traceparent": f"00-{run.trace_id:032x}-{span_id:016x}-{flags:02x}"}
        if run.trace_state:
            found["tracestate"] = run.trace_state.to_header()
        return found

    def ended(self, due: DueRun, attempt: Attempt, request_id: str) -> None:
        """Export the span of an attempt."""
        parent = self._context_of_run(due.run.tag)
        if not parent.trace_flags.sampled:
            return
        action, outcome = action_of(due), attempt.outcome
        is_http = isinstance(action.part, HttpRequest)
        self._export(
            f"attempt {due.job.name}",
            _within(parent, _attempt_id(request_id)),
            parent=parent,
            kind=SpanKind.CLIENT if is_http else SpanKind.PRODUCER,
            attributes=_attributes_of_run(due) | _attributes_of_attempt(due, action, outcome),
            status=_status(outcome),
            between=(attempt.started_at, attempt.ended_at),
        )

    def settled(
        self, recorded: Sequence[SettledAttempt], given_up: Sequence[SettledAttempt]
    ) -> None:
        """Export the spans of runs that have succeeded or failed for good."""
        for each in recorded:
            attempt, run = each.attempt, each.due.run
            if isinstance(attempt, Expired) or run.phase is not Phase.MAIN:
                continue
            if attempt.outcome.succeeded:
                how = RunOutcome.SUCCEEDED if run.attempt == 1 else RunOutcome.RECOVERED
                self._run_ended(each.due, attempt, how)
        for each in given_up:
            if isinstance(each.attempt, Attempt):
                self._run_ended(each.due, each.attempt, RunOutcome.FAILED)

    def close(self) -> None:
        """Export what is left; this blocks, for as long as the collector does not answer."""
        self._processor.shutdown()

    def _run_ended(self, due: DueRun, attempt: Attempt, how: RunOutcome) -> None:
        context = self._context_of_run(due.run.tag)
        if not context.trace_flags.sampled:
            return
        is_old = due.run.trigger in _OF_THE_PAST
        began_at = attempt.started_at if is_old else min(due.run.expected_at, attempt.started_at)
        outcome = {"foliot.outcome": how.value, "foliot.attempts": due.run.attempt}
        self._export(
            f"run {due.job.name}",
            context,
            parent=None,
            kind=SpanKind.INTERNAL,
            attributes=_attributes_of_run(due) | outcome | _error(attempt.outcome),
            status=_status(attempt.outcome),
            between=(began_at, attempt.ended_at),
        )

    def _new_context(self, tag: str) -> SpanContext:
        """Return the context of a run, which is the same on every node."""
        trace_id = _trace_id(tag)
        result = self._sampler.should_sample(None, trace_id, "run")
        flags = _SAMPLED if result.decision.is_sampled() else _NEVER
        state = result.trace_state or TraceState()
        return SpanContext(trace_id, _hashed(tag, 8), False, flags, state)  # noqa: FBT003  (remote)

    def _export(  # noqa: PLR0913  (the parts of a span)
        self,
        name: str,
        context: SpanContext,
        *,
        parent: SpanContext | None,
        kind: SpanKind,
        attributes: Attributes,
        status: Status,
        between: tuple[Instant, Instant],
    ) -> None:
        began_at, ended_at = between
        span = ReadableSpan(
            name,
            context=context,
            parent=parent,
            resource=self.resource,
            attributes=attributes,
            kind=kind,
            status=status,
            start_time=_nanoseconds(began_at),
            end_time=_nanoseconds(max(began_at, ended_at)),
            instrumentation_scope=self._scope,
        )
        try:
            self._processor.on_end(span)
        except Exception as error:  # noqa: BLE001  (a span that is lost must not stop a run)
            _log.warning("Span not exported", error=origin_of(error))


def open_tracer(node: str, environ: Mapping[str, str]) -> OtelTracer | None:
    """Return a tracer as the variables of OpenTelemetry say; None if they say that there is none.

    The SDK reads the other variables itself: endpoint, headers, sampler, limits of the queue.
    """
    exporter = _exporter(environ)
    if exporter is None:
        return None
    # The sampler that the variables name; the provider itself makes no spans.
    sampler = TracerProvider(shutdown_on_exit=False).sampler
    return OtelTracer(BatchSpanProcessor(exporter), sampler, _resource(node, environ))


def close_within(tracer: OtelTracer, seconds: float) -> None:
    """Export what is left, and give up after some seconds: nobody may wait for a collector."""
    closing = threading.Thread(target=tracer.close, name="close tracing", daemon=True)
    closing.start()
    closing.join(seconds)


def _exporter(environ: Mapping[str, str]) -> SpanExporter | None:
    if environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return None
    kind = environ.get("OTEL_TRACES_EXPORTER", "").strip() or "otlp"
    if kind not in ("otlp", "console", "none"):
        raise CannotStart(f"OTEL_TRACES_EXPORTER: '{kind}'; give otlp, console or none.")
    if kind == "none":
        return None
    if kind == "console":
        return ConsoleSpanExporter()
    names = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
    for name in names:
        protocol = environ.get(name, "").strip() or _PROTOCOL
        if protocol != _PROTOCOL:
            raise CannotStart(f"{name}: '{protocol}'; Foliot exports over {_PROTOCOL} alone.")
    return OTLPSpanExporter()


def _resource(node: str, environ: Mapping[str, str]) -> Resource:
    """Return who exports: this node, under the name that the operator gives or `foliot`."""
    given = environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    names = {each.partition("=")[0].strip() for each in given.split(",")}
    own = {
        "service.name": "foliot",
        "service.version": metadata.version("foliot"),
        "service.instance.id": node,
    }
    if environ.get("OTEL_SERVICE_NAME"):
        names.add("service.name")
    return Resource.create({name: text for name, text in own.items() if name not in names})


def _attributes_of_run(due: DueRun) -> Attributes:
    run = due.run
    return {
        "foliot.collection": collection_text(due.collection.key),
        "foliot.job": due.job.name,
        "foliot.tag": run.tag,
        "foliot.planned_time": format_instant(run.expected_at),
        "foliot.trigger": run.trigger.value,
    }


def _attributes_of_attempt(due: DueRun, action: Action, outcome: Outcome) -> Attributes:
    """Return the facts of an attempt: no address, no header and no message, which have secrets."""
    found: Attributes = {
        "foliot.attempt": due.run.attempt,
        "foliot.action": action.kind.value,
        "foliot.phase": due.run.phase.value,
    }
    if isinstance(action.part, HttpRequest):
        found["http.request.method"] = action.part.method.upper()
    elif isinstance(action.part, ServiceBusMessage):
        found["messaging.system"] = "servicebus"
    if outcome.host is not None:
        found["server.address"] = outcome.host
    if outcome.status_code is not None:
        found["http.response.status_code"] = outcome.status_code
    return found | _error(outcome)


def _error(outcome: Outcome) -> Attributes:
    return {} if outcome.reason is None else {"error.type": outcome.reason.value}


def _status(outcome: Outcome) -> Status:
    return _UNSET if outcome.succeeded else Status(_ERROR, outcome.reason)


def _within(parent: SpanContext, span_id: int) -> SpanContext:
    flags, state = parent.trace_flags, parent.trace_state
    return SpanContext(parent.trace_id, span_id, False, flags, state)  # noqa: FBT003  (remote)


def _trace_id(tag: str) -> int:
    """Return the tag itself, so that people find the trace of a run by it."""
    try:
        found = int(tag, 16) if len(tag) == _HEX_DIGITS else 0
    except ValueError:
        found = 0
    # Zero is no id; a tag of another form is from another version.
    return found or _hashed(tag, 16)


def _attempt_id(request_id: str) -> int:
    try:
        found = int(request_id[:_SPAN_DIGITS], 16)
    except ValueError:
        found = 0
    return found or _hashed(request_id, 8)


def _hashed(text: str, size: int) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=size).digest()) or 1


def _nanoseconds(at: Instant) -> int:
    return (at - UNIX_EPOCH) * _NANOSECONDS_PER_TICK
