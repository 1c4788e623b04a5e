"""What agents reasoned in private is kept, and nothing else that stands in its place."""

from typing import Any

import pytest
from trace_builder import TraceBuilder

from pipeline.traces import limits
from pipeline.traces.ingest import ingest
from pipeline.traces.trace import decode_trace


def thoughts(game: TraceBuilder) -> list[tuple[Any, ...]]:
    return ingest(decode_trace(game.text()), "x.json")["thoughts"]


def test_turns_and_answers_tell_what_was_reasoned() -> None:
    game = TraceBuilder().round(0).event("turn_end", agent_id=1, thinking="Slot 2 is mine.")
    game.event("decide_end", round=0, agent_id=0, phase="VOLUNTARY", thinking="I move.")
    assert thoughts(game) == [
        ("game-1", 5, 0, "CHEAP_TALK", 1, "Slot 2 is mine."),
        ("game-1", 6, 0, "VOLUNTARY", 0, "I move."),
    ]


@pytest.mark.parametrize("thinking", [None, "", " \n", 7, ["a"], {"text": "a"}, True])
def test_what_is_no_text_is_no_reasoning(thinking: object) -> None:
    game = TraceBuilder().round(0).event("turn_end", agent_id=1, thinking=thinking)
    assert thoughts(game) == []


def test_reasoning_of_nobody_or_before_any_round_is_left_out() -> None:
    game = TraceBuilder().event("turn_end", agent_id=1, thinking="early").round(0)
    game.event("turn_end", agent_id=None, thinking="whose?")
    assert thoughts(game) == []


def test_endless_reasoning_is_cut() -> None:
    game = TraceBuilder().round(0).event("turn_end", agent_id=1, thinking="x" * (limits.MESSAGE_CHARS + 1))
    assert len(thoughts(game)[0][-1]) == limits.MESSAGE_CHARS
