"""Spans of games and calls for OpenTelemetry, by its conventions for generative models.

They are sent where OTEL_EXPORTER_OTLP_ENDPOINT says, and not made where it is not set. Needs the extra `spans`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

from sim.models import ModelError
from sim.models.agent import Usage

ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
INSTALL = "spans are asked for by OTEL_EXPORTER_OTLP_ENDPOINT; install calbench-lab[spans], or unset it"

Attributes = Mapping[str, Any]


class NoSpans(ModelError):
    """Why spans can't be made, and what to do."""


@cache
def tracer() -> Any:
    """What makes spans; None where nobody asked for them. Raises NoSpans where OpenTelemetry is not installed."""
    if not any(os.environ.get(name) for name in ENDPOINTS):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError as error:
        raise NoSpans(INSTALL) from error
    provider = TracerProvider(resource=Resource.create({"service.name": "calbench"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider.get_tracer("calbench")


@contextmanager
def span(name: str, attributes: Attributes) -> Iterator[Callable[[Attributes], None]]:
    """A span around the block, part of the one around it; call what it gives with attributes that come later."""
    maker = tracer()
    if maker is None:
        yield lambda more: None
        return
    with maker.start_as_current_span(name, attributes=known(attributes)) as made:
        yield lambda more: made.set_attributes(known(more))


def known(attributes: Attributes) -> dict[str, Any]:
    """The attributes that have a value."""
    return {name: value for name, value in attributes.items() if value is not None}


def usage_attributes(usage: Usage) -> dict[str, Any]:
    """What an answer took, for a span."""
    return {
        "gen_ai.response.model": usage.served_model,
        "gen_ai.response.id": usage.response_id,
        "gen_ai.response.finish_reasons": [usage.finish_reason] if usage.finish_reason else None,
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "calbench.failed_attempts": len(usage.failed_attempts),
        "calbench.cost_usd": usage.cost_usd,
    }
