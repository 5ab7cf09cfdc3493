"""The spans of runs and attempts, in virtual time, made by the real SDK."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import (
    ALWAYS_OFF,
    ALWAYS_ON,
    Decision,
    ParentBasedTraceIdRatio,
    Sampler,
    SamplingResult,
)
from opentelemetry.trace import SpanKind, StatusCode, TraceState

from foliot.core.instant import SECOND, Instant
from foliot.core.model.attempt import AttemptRequest, NotSent, Outcome
from foliot.core.model.reason import Reason
from foliot.serve.otel_spans import OtelTracer
from tests.support.engine_world import World

OK = Outcome(succeeded=True, message="ok", host="example.com", status_code=200)
FAILED = Outcome(
    succeeded=False,
    message="secret=hunter2",
    reason=Reason.HTTP_STATUS,
    host="example.com",
    status_code=503,
)
START = 1_768_003_200  # 2026-01-10
SECRET = {"uri": "http://example.com/?code=hunter2", "method": "POST", "body": "hunter2"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as made:
        yield made


class Traces:
    """An engine that is traced: its spans, and the headers that its targets got."""

    def __init__(self, world: World, sampler: Sampler = ALWAYS_ON) -> None:
        self._exporter = InMemorySpanExporter()
        self.requests: list[AttemptRequest] = []
        self.answers: list[Outcome | NotSent] = []
        self.seconds = 0
        self._world = world
        world.targets.answer = self._answer
        self.tracer = OtelTracer(SimpleSpanProcessor(self._exporter), sampler, Resource({}))
        world.start_engine(tracer=self.tracer)

    def _answer(self, request: AttemptRequest) -> Outcome | NotSent:
        self.requests.append(request)
        self._world.clock.at = Instant(self._world.clock.at + self.seconds * SECOND)
        return self.answers.pop(0) if self.answers else OK

    @property
    def spans(self) -> list[ReadableSpan]:
        return list(self._exporter.get_finished_spans())

    def headers(self) -> list[dict[str, str]]:
        return [request.trace_headers or {} for request in self.requests]


def seconds_of(span: ReadableSpan) -> tuple[float, float]:
    assert span.start_time is not None
    assert span.end_time is not None
    return span.start_time / 1e9 - START, span.end_time / 1e9 - START


def test_a_run_is_a_span_and_its_attempts_are_spans_within(world: World) -> None:
    traces = Traces(world)
    traces.answers, traces.seconds = [FAILED], 2
    world.add_job(startTime="2026-01-10T00:10:00Z", action={"type": "Http", "request": SECRET})
    world.clock.set("2026-01-10T00:10:01Z")
    world.step()
    world.advance_to("2026-01-10T00:20:00Z")

    first, second, run = traces.spans
    tag = traces.requests[0].tag
    assert [each.name for each in traces.spans] == ["attempt job", "attempt job", "run job"]
    assert {f"{each.context.trace_id:032x}" for each in traces.spans} == {tag}
    assert run.parent is None
    assert first.parent.span_id == second.parent.span_id == run.context.span_id
    assert first.context.span_id != second.context.span_id
    assert [seconds_of(each) for each in traces.spans] == [(601, 603), (633, 635), (600, 635)]
    assert (first.kind, run.kind) == (SpanKind.CLIENT, SpanKind.INTERNAL)
    assert (first.status.status_code, first.status.description) == (StatusCode.ERROR, "HttpStatus")
    assert second.status.status_code is run.status.status_code is StatusCode.UNSET


def test_spans_tell_what_happened_and_no_secret(world: World) -> None:
    traces = Traces(world)
    traces.answers = [FAILED]
    world.add_job(action={"type": "Http", "request": SECRET})
    world.advance_to("2026-01-10T00:20:00Z")

    first, second, run = traces.spans
    of_run = {
        "foliot.collection": "s/g/c",
        "foliot.job": "job",
        "foliot.tag": traces.requests[0].tag,
        "foliot.planned_time": "2026-01-10T00:00:00Z",
        "foliot.trigger": "schedule",
    }
    of_attempt = of_run | {
        "foliot.action": "Http",
        "foliot.phase": "main",
        "http.request.method": "POST",
        "server.address": "example.com",
    }
    assert dict(first.attributes or {}) == of_attempt | {
        "foliot.attempt": 1,
        "http.response.status_code": 503,
        "error.type": "HttpStatus",
    }
    assert dict(second.attributes or {}) == of_attempt | {
        "foliot.attempt": 2,
        "http.response.status_code": 200,
    }
    assert dict(run.attributes or {}) == of_run | {
        "foliot.outcome": "recovered",
        "foliot.attempts": 2,
    }
    assert "hunter2" not in "".join(each.to_json() for each in traces.spans)


def test_targets_are_told_of_the_span_of_their_attempt(world: World) -> None:
    traces = Traces(world)
    traces.answers = [FAILED]
    world.add_job()
    world.advance_to("2026-01-10T00:20:00Z")

    attempts = [each.context for each in traces.spans if each.name == "attempt job"]
    assert traces.headers() == [
        {"traceparent": f"00-{each.trace_id:032x}-{each.span_id:016x}-01"} for each in attempts
    ]


def test_a_run_that_fails_has_an_error_action_in_its_trace(world: World) -> None:
    traces = Traces(world)
    traces.answers = [FAILED]
    after = {"type": "Http", "request": {"uri": "http://example.com/after", "method": "get"}}
    action = {"type": "Http", "request": SECRET, "retryPolicy": {"retryType": "none"}}
    world.add_job(action={**action, "errorAction": after})
    world.advance_to("2026-01-10T00:20:00Z")

    phases = [(each.name, (each.attributes or {}).get("foliot.phase")) for each in traces.spans]
    assert phases == [("attempt job", "main"), ("run job", None), ("attempt job", "error")]
    run = traces.spans[1]
    assert (run.attributes or {})["foliot.outcome"] == "failed"
    assert run.status.status_code is StatusCode.ERROR
    assert len({each.context.trace_id for each in traces.spans}) == 1


def test_a_run_that_another_node_goes_on_with_stays_in_its_trace(world: World) -> None:
    one = Traces(world)
    one.answers = [FAILED]
    world.add_job()
    world.step()
    other = Traces(world)
    world.advance_to("2026-01-10T00:20:00Z")

    (first,), (second, run) = one.spans, other.spans
    assert first.context.trace_id == second.context.trace_id
    assert first.parent == second.parent == run.context


def test_a_run_of_the_past_does_not_begin_in_the_past(world: World) -> None:
    traces = Traces(world)
    traces.seconds = 2
    world.add_job(recurrence={"frequency": "day"}, policy={"catchUp": "all"})
    world.step()
    world.clock.set("2026-01-12T00:20:00Z")
    world.start_engine(tracer=traces.tracer)
    world.step()
    world.step()

    runs = [each for each in traces.spans if each.name == "run job"]
    triggers = {(each.attributes or {})["foliot.trigger"]: seconds_of(each) for each in runs}
    begin, end = triggers["catchUp"]
    # Two attempts begin at the same time, and the clock goes on for two seconds with each.
    assert end - begin == 4


@pytest.mark.parametrize(
    ("sampler", "flags"), [(ALWAYS_OFF, "00"), (ParentBasedTraceIdRatio(0.0), "00")]
)
def test_what_is_not_sampled_makes_no_span_and_says_so(
    world: World, sampler: Sampler, flags: str
) -> None:
    traces = Traces(world, sampler)
    world.add_job()
    world.step()

    assert traces.spans == []
    assert [each["traceparent"][-2:] for each in traces.headers()] == [flags]


class WithState(Sampler):
    """A sampler that keeps a state of its own in the trace."""

    def should_sample(self, *_: Any, **__: Any) -> SamplingResult:
        return SamplingResult(Decision.RECORD_AND_SAMPLE, trace_state=TraceState([("ot", "th:8")]))

    def get_description(self) -> str:
        return "with state"


def test_the_state_that_a_sampler_sets_is_sent_on(world: World) -> None:
    traces = Traces(world, WithState())
    world.add_job()
    world.step()

    assert [each["tracestate"] for each in traces.headers()] == ["ot=th:8"]


def test_an_attempt_that_was_not_made_has_no_span(world: World) -> None:
    traces = Traces(world)
    traces.answers = [NotSent("no descriptor is free")]
    world.add_job()
    world.step()

    assert traces.spans == []


class Broken(SpanProcessor):
    """A processor that fails."""

    def on_end(self, span: ReadableSpan) -> None:
        raise RuntimeError(span.name)


def test_a_processor_that_fails_stops_no_run(world: World) -> None:
    tracer = OtelTracer(Broken(), ALWAYS_ON, Resource({}))
    world.start_engine(tracer=tracer)
    world.add_job()
    world.step()

    assert [entry.status for entry in world.history()] == ["completed"]


@pytest.mark.parametrize(
    "tag",
    ["", "0" * 32, "not hexadecimal, but 32 letters!", "12345678-1234-4234-a234-1234567890ab"],
)
def test_a_tag_of_another_form_has_a_trace_id_of_its_own(world: World, tag: str) -> None:
    traces = Traces(world)
    world.add_job()
    world.targets.are_silent = True
    world.run(world.engine.tick())
    (due,) = world.engine._attempts.runs  # noqa: SLF001  (a run as the engine has claimed it)
    world.kill_engine()
    odd = replace(due, run=replace(due.run, tag=tag))

    first, again = (traces.tracer.headers(odd, "") for _ in range(2))

    version, trace_id, span_id, _ = first["traceparent"].split("-")
    assert first == again
    assert (version, len(trace_id), len(span_id)) == ("00", 32, 16)
    assert int(trace_id, 16)
    assert int(span_id, 16)
