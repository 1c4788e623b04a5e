"""Why a round failed: a column, and the sentence that every view makes of it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_ingest import rows
from trace_builder import TraceBuilder

from pipeline.reports.views.sentences import FAILURES, outcome


def game(*rounds: dict[str, Any] | None) -> TraceBuilder:
    """Rounds of agents 0 and 1, each as its resolution says; None is never resolved."""
    trace = TraceBuilder()
    for number, resolution in enumerate(rounds):
        trace.round(number)
        if resolution is not None:
            trace.resolution(number, **({"coordinated": False} | resolution))
    return trace


AGREED = {"coordinated": True, "a0": 3, "a1": 3}
TORN = {"a0": 2, "a1": 2, "violated": [1]}

# Rounds → of the last: failure_reason, violated_since, and what is said of it.
REASONS: tuple[tuple[tuple[dict[str, Any] | None, ...], str | None, list[int], str], ...] = (
    ((AGREED,), None, [], "M1 is in slot 3"),
    ((None,), "stopped", [], "M1 is open: the game stopped before this round was resolved"),
    (({},), "no valid batch", [], "M1 failed: a participant had no valid batch, so none was applied"),
    (
        ({"a0": 2, "a1": 1},), "different slots", [],
        "M1 failed: different slots (agent 0: 2, agent 1: 1)",
    ),
    (({"a0": 2, "a1": 2, "blocked": [0]},), "blocked slot", [], "M1 failed: slot 2 is blocked for a participant"),
    ((AGREED, TORN), "earlier meeting broken", [1], "M2 failed: all chose slot 2, but M1 was broken in this round"),
    (
        (AGREED, TORN, TORN), "earlier meeting still broken", [1],
        "M3 failed: all chose slot 2, but M1 has been broken since round 1",
    ),
    (
        (AGREED, TORN, AGREED, TORN), "earlier meeting broken", [3],
        "M4 failed: all chose slot 2, but M1 was broken in this round",
    ),
    (
        (AGREED, TORN, TORN | {"a1": 1}), "different slots", [1],
        "M3 failed: different slots (agent 0: 2, agent 1: 1); M1 has been broken since round 1",
    ),
    (({"a0": 2, "a1": 2},), "unexplained", [], "M1 failed: all chose slot 2, and the trace does not say why"),
)  # fmt: skip


@pytest.mark.parametrize(("rounds", "reason", "since", "said"), REASONS, ids=[said for *_, said in REASONS])
def test_a_round_says_why_it_failed_and_since_when_earlier_meetings_are_broken(
    rounds: tuple[dict[str, Any] | None, ...], reason: str | None, since: list[int], said: str
) -> None:
    last = rows(game(*rounds), "rounds")[-1]
    assert (last["failure_reason"], last["violated_since"], outcome(last)) == (reason, since, said)


def test_every_reason_has_an_example_and_a_sentence() -> None:
    assert {reason for _, reason, _, _ in REASONS} == {None, *FAILURES}


@pytest.mark.parametrize(
    ("oracle", "said"), [(3, "M1 is in slot 3, the oracle's own"), (1, "M1 is in slot 3 (the oracle's slot is 1)")]
)
def test_a_coordinated_meeting_is_set_beside_the_oracle_s_slot(oracle: int, said: str) -> None:
    (row,) = rows(game(AGREED), "rounds")
    assert outcome(row | {"oracle_slot": oracle}) == said


SLOT = st.none() | st.integers(0, 3)
RESOLUTION = st.fixed_dictionaries(
    {"coordinated": st.booleans(), "a0": SLOT, "a1": SLOT, "blocked": st.lists(st.integers(0, 1), max_size=1)}
    | {"violated": st.lists(st.integers(1, 3), unique=True, max_size=2)}
)


@given(st.lists(st.none() | RESOLUTION, min_size=1, max_size=5))
def test_a_round_is_coordinated_or_has_a_reason_and_no_meeting_was_broken_unseen(
    rounds: list[dict[str, Any] | None],
) -> None:
    told = rows(game(*rounds), "rounds")
    for row in told:
        assert (row["coordinated"] is True) == (row["failure_reason"] is None)
        assert outcome(row).startswith(f"M{row['meeting_id']} ")
        for meeting, since in zip(row["violated_meetings"], row["violated_since"], strict=True):
            resolved = [r for r in told[since : row["round"] + 1] if r["coordinated"] is not None]
            assert resolved and all(meeting in r["violated_meetings"] for r in resolved)
