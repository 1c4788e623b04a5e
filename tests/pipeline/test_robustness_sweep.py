"""VPS under other constants: what the sweep finds without reading messages again is what deriving them anew gives."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trace_builder import TraceBuilder, toy_game

from pipeline.derive.rows import ingested_frames
from pipeline.privacy.evidence import privacy_frames
from pipeline.privacy.rules import ENGLISH_VERSIONS, RULES, Weighing
from pipeline.statistics.robustness.sweep import Grid, SweepInputs, apply_rules, sweep_vps
from pipeline.traces.ingest import ingest
from pipeline.traces.trace import decode_trace

ENGLISH = (
    "Slot 3 works for me.",
    "I am busy at slot 3, but slot 0 is free.",
    "I have an errand at slot 3.",
    "I propose slot 0.",
    "Slot 0 is low cost for me.",
)


def talk(*said: str) -> TraceBuilder:
    """Agent 1 tells agent 0 these things one after the other, in both rounds, between typed messages."""
    trace = toy_game("talk")
    for number in (0, 1):
        trace.dm(number, 1, 0, {"sd": "propose", "meeting_id": 1, "slot": 3, "initiator": 1})
        for text in said:
            trace.dm(number, 1, 0, text)
        trace.dm(number, 0, 1, {"sd": "reply", "meeting_id": 1, "slot": 3, "reply_status": "IMPOSSIBLE"})
    return trace


def derived(
    trace: TraceBuilder, rules: str = "paper", english: str = "full", **chosen: float
) -> dict[str, pl.DataFrame]:
    frames = ingested_frames(ingest(decode_trace(trace.text()), "a.json"))
    epsilon = chosen.pop("epsilon", 0.05)
    return frames | privacy_frames(frames, replace(RULES[rules], epsilon=epsilon, english=english), Weighing(**chosen))


def inputs_of(tables: dict[str, pl.DataFrame]) -> SweepInputs:
    summary = tables["game_summary"].filter(weight_mode="uniform").select("game_id", "pair_rounds", "all_pair_rounds")
    return SweepInputs(tables["games"].join(summary, on="game_id"), tables["belief_evidence"], tables["calendars"])


@settings(max_examples=8)
@given(
    st.lists(st.sampled_from(ENGLISH), max_size=5),
    st.sampled_from(("paper", "release")),
    st.floats(0, 1),
    st.floats(0, 1),
)
def test_the_sweep_is_what_deriving_anew_gives(said: list[str], rules: str, prior: float, epsilon: float) -> None:
    found = sweep_vps(inputs_of(derived(talk(*said))), Grid([rules], [prior], [epsilon]), Weighing())[:, 0]
    anew = derived(talk(*said), rules, prior=prior, epsilon=epsilon)["game_summary"].sort(
        "weight_mode", descending=True
    )
    assert anew["weight_mode"].to_list() == ["uniform", "cost"]
    expected = anew.select("vps_loss_mean", "all_pairs_vps_loss_mean").to_numpy().ravel()
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("english", ENGLISH_VERSIONS)
def test_evidence_is_restated_as_it_was_read(english: str) -> None:
    updates = derived(talk(*ENGLISH), english=english)["belief_evidence"]
    assert apply_rules(updates, RULES["paper"]).equals(updates)


def test_evidence_is_restated_by_other_rules_and_another_margin() -> None:
    updates = derived(talk(*ENGLISH))["belief_evidence"]
    released = apply_rules(updates, replace(RULES["release"], epsilon=0.2))
    assert set(released.filter(source="sd_propose")["strength"]) == {0.7}
    assert set(released.filter(source="language_negative")["evidence"]) == {0.2}


def test_a_game_in_which_nobody_learns_has_no_mean_over_observed_pairs() -> None:
    silent = TraceBuilder("silent").round(0).dm(0, 0, 1, "Hello.").resolution(0, False)
    found = sweep_vps(inputs_of(derived(silent)), Grid(["paper"], [0.5], [0.05]), Weighing())[:, 0]
    assert np.isnan(found[[0, 2]]).all()
    assert found[[1, 3]].tolist() == [0, 0]
