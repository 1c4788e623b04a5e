"""Updates to beliefs, and beliefs to VPS (Eq. 1)."""

import json
from math import log, sqrt
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from trace_builder import CALENDARS, TraceBuilder, toy_game

from pipeline.derive.rows import ingested_frames
from pipeline.privacy import beliefs
from pipeline.privacy.evidence import privacy_frames
from pipeline.privacy.rules import ENGLISH_VERSIONS, RULES, Weighing
from pipeline.tables.schemas.base import TABLES
from pipeline.traces.ingest import Rows, ingest
from pipeline.traces.trace import decode_trace


def ingested(trace: TraceBuilder) -> Rows:
    return ingest(decode_trace(trace.text()), "a.json")


def derived(trace: TraceBuilder, rules: str = "paper", weighing: Weighing | None = None) -> dict[str, pl.DataFrame]:
    frames = ingested_frames(ingested(trace))
    return frames | privacy_frames(frames, RULES[rules], weighing or Weighing())


def losses(tables: dict[str, pl.DataFrame], mode: str) -> dict[tuple[int, int, int], float]:
    rows = tables["pair_round_vps"].filter(weight_mode=mode)
    keys = rows.select("round", "target_agent", "observer_agent").rows()
    return dict(zip(keys, rows["vps_loss"].to_list(), strict=True))


SAID = pytest.approx(0.45)  # a slot that English calls free is believed to be so but for ε


def test_the_toy_game_loses_half_a_slot_per_certain_slot() -> None:
    assert losses(derived(toy_game()), "uniform") == {(0, 1, 0): 1.5, (0, 0, 1): 0.5, (1, 1, 2): SAID}


def test_a_slot_weighs_by_the_root_of_its_cost() -> None:
    tables = derived(toy_game())
    assert losses(tables, "cost") == {(0, 1, 0): 0.5 * (1 + (1 + sqrt(100)) + 1), (0, 0, 1): 0.5, (1, 1, 2): SAID}
    sums = tables["pair_round_vps"].filter(weight_mode="cost", target_agent=1)["weight_sum"].to_list()
    assert sums == [3 + 1 + sqrt(100), 4]


WEIGHTS = ((0, False, 1.0), (1, False, 2.0), (100, False, 11.0), (1000, False, 32.0), (1, True, 32.0), (0, True, 32.0))


@pytest.mark.parametrize(("cost", "blocked", "weight"), WEIGHTS)
def test_weights_are_those_of_the_appendix(cost: int, blocked: bool, weight: float) -> None:
    blocked_slots = pl.Series([[0] if blocked else []], dtype=pl.List(pl.Int64))
    calendar = pl.DataFrame({"game_id": ["g"], "round": [0], "agent": [0], "costs": [[cost]], "blocked": blocked_slots})
    assert beliefs.slot_weights(calendar, Weighing())["weights"].to_list() == [[weight]]


FORMS = (("sqrt", [1, 2, 11]), ("log", [1, 1 + log(2), 1 + log(101)]), ("linear", [1, 2, 32]))


@pytest.mark.parametrize(("form", "weights"), FORMS)
def test_a_weight_has_the_form_that_is_asked_for(form: str, weights: list[float]) -> None:
    none = pl.Series([[]], dtype=pl.List(pl.Int64))
    calendar = pl.DataFrame({"game_id": "g", "round": 0, "agent": 0, "costs": [[0, 1, 100]], "blocked": none})
    found = beliefs.slot_weights(calendar, Weighing(weight_form=form))["weights"].to_list()
    assert found == [pytest.approx(weights)]


def test_beliefs_start_anew_in_each_round() -> None:
    say = {"imap": "decision", "slot": 1}
    tables = derived(TraceBuilder().round(0).dm(0, 0, 1, say).dm(0, 0, 1, say).round(1).dm(1, 0, 1, say))
    assert tables["belief_evidence"].select("belief_before", "belief_after").rows() == [(0.5, 1), (1, 1), (0.5, 1)]


def test_a_partial_update_moves_a_belief_part_of_the_way() -> None:
    tables = derived(TraceBuilder().round(0).dm(0, 0, 1, {"sd": "propose", "slot": 1}), "release")
    assert tables["belief_evidence"]["belief_after"].to_list() == [pytest.approx(0.3 * 0.5 + 0.7 * 0.85)]


def test_the_last_word_on_a_slot_decides() -> None:
    trace = TraceBuilder().round(0)
    for status in ("IMPOSSIBLE", "PENDING"):
        trace.dm(0, 0, 1, {"sd": "reply", "slot": 1, "reply_status": status})
    tables = derived(trace)
    assert tables["belief_evidence"]["belief_after"].to_list() == [0.0, 1.0]
    assert tables["pair_round_vps"]["observations"].to_list() == [2, 2]
    assert losses(tables, "uniform") == {(0, 0, 1): 0.5}


OUTSIDE = (4, 99, -1, True, "1", None)


@pytest.mark.parametrize("slot", OUTSIDE)
def test_a_slot_outside_the_calendar_is_recorded_and_changes_nothing(slot: object) -> None:
    tables = derived(TraceBuilder().round(0).dm(0, 0, 1, {"imap": "decision", "slot": slot}))
    evidence = tables["belief_evidence"].select("in_calendar", "belief_before", "belief_after").rows()
    assert evidence == [(False, None, None)]
    assert tables["pair_round_vps"].height == 0
    assert tables["game_summary"]["observation_count"].to_list() == [0, 0]


def test_a_group_message_informs_each_recipient_but_not_its_sender() -> None:
    tables = derived(TraceBuilder().round(0).group(0, 0, [0, 1, 2], {"imap": "decision", "slot": 1}))
    assert losses(tables, "uniform") == {(0, 0, 1): 0.5, (0, 0, 2): 0.5}


def test_participants_are_told_from_bystanders() -> None:
    say = {"imap": "decision", "slot": 1}
    tables = derived(TraceBuilder().round(0, (0, 1)).dm(0, 0, 1, say).dm(0, 0, 2, say))
    flags = tables["pair_round_vps"].filter(weight_mode="uniform").select("observer_agent", "observer_is_participant")
    assert flags.rows() == [(1, True), (2, False)]
    summary = tables["game_summary"].filter(weight_mode="uniform").row(0, named=True)
    assert (summary["vps_loss_total"], summary["participant_pair_vps_loss_total"]) == (1.0, 0.5)
    assert (summary["vps_loss_mean"], summary["all_pair_rounds"], summary["all_pairs_vps_loss_mean"]) == (0.5, 6, 1 / 6)


def test_a_silent_game_has_a_summary() -> None:
    summary = derived(TraceBuilder().round(0))["game_summary"]
    assert summary.select("weight_mode", "vps_loss_total", "vps_loss_mean", "all_pairs_vps_loss_mean").rows() == [
        ("cost", 0.0, None, 0.0),
        ("uniform", 0.0, None, 0.0),
    ]
    counts = ("participant_pair_vps_loss_total", "observation_count", "pair_rounds", "all_pair_rounds")
    assert summary.select(counts).rows() == [(0.0, 0, 0, 6)] * 2


def talkative_game() -> TraceBuilder:
    """The toy game, and in its second round a bystander's message and one to a bystander."""
    trace = toy_game().dm(1, 0, 1, {"imap": "decision", "meeting_id": 2, "slot": 1})
    return trace.dm(1, 1, 0, {"imap": "decision", "meeting_id": 2, "slot": 0})


def test_every_column_of_a_pair_s_round_holds_its_own_value() -> None:
    tables = derived(talkative_game())
    first = {
        "trace_path": "a.json", "game_id": "game-1", "round": 0, "target_agent": 1, "observer_agent": 0,
        "target_is_participant": True, "observer_is_participant": True, "num_agents": 3, "num_slots": 4,
        "observations": 3, "prior_distance_to_ideal": 0.0, "prior": 0.5,
    }  # fmt: skip
    uniform = {"vps_loss": 1.5, "vps_release": 1.5, "posterior_distance_to_ideal": 1.5, "vps_loss_per_slot": 1.5 / 4}
    cost = {"vps_loss": 6.5, "vps_release": 6.5, "posterior_distance_to_ideal": 6.5, "vps_loss_per_slot": 6.5 / 4}
    rows = tables["pair_round_vps"].filter(round=0, target_agent=1)
    assert rows.to_dicts() == [
        first | cost | {"weight_sum": 14.0, "vps_loss_per_weight": 6.5 / 14, "weight_mode": "cost"},
        first | uniform | {"weight_sum": 4.0, "vps_loss_per_weight": 1.5 / 4, "weight_mode": "uniform"},
    ]
    pairs = tables["pair_round_vps"].filter(round=1, weight_mode="uniform")
    flags = ("target_agent", "observer_agent", "target_is_participant", "observer_is_participant")
    assert pairs.select(flags).rows() == [(0, 1, False, True), (1, 0, True, False), (1, 2, True, True)]


# 5 pair-rounds of 2 rounds × 6 pairs, 3 of them of participants; weights are 4 a calendar, but 14 of agent 1's first.
SUMMARY = (("uniform", 3.45, 20, 2.45, 12), ("cost", 8.45, 30, 7.45, 22))


@pytest.mark.parametrize(("mode", "total", "weight", "participants_total", "participants_weight"), SUMMARY)
def test_every_column_of_a_summary_holds_its_own_value(
    mode: str, total: float, weight: float, participants_total: float, participants_weight: float
) -> None:
    (row,) = derived(talkative_game())["game_summary"].filter(weight_mode=mode).iter_rows(named=True)
    assert row == {
        "trace_path": "a.json", "game_id": "game-1", "num_agents": 3, "rounds": 2, "weight_mode": mode,
        "vps_loss_total": pytest.approx(total), "vps_loss_mean": pytest.approx(total / 5),
        "vps_loss_per_weight": pytest.approx(total / weight), "observation_count": 7, "pair_rounds": 5,
        "participant_pair_vps_loss_total": pytest.approx(participants_total),
        "participant_pair_vps_loss_mean": pytest.approx(participants_total / 3),
        "participant_pair_vps_loss_per_weight": pytest.approx(participants_total / participants_weight),
        "participant_pair_observation_count": 5, "participant_pair_pair_rounds": 3,
        "all_pair_rounds": 12, "all_pairs_vps_loss_mean": pytest.approx(total / 12),
        "vps_release": pytest.approx((total - 0.45 + 0.24) / 5),  # of one slot that is said to be free
        "rules": "paper", "english": "full", "english_version": ENGLISH_VERSIONS["full"],
    }  # fmt: skip


def test_a_source_s_share_is_what_its_updates_moved_of_the_game_s_total() -> None:
    tables = derived(talkative_game())
    by_source = tables["vps_by_source"].select("weight_mode", "source", "updates", "vps_loss_moved", "share")
    expected = [
        (mode, source, updates, pytest.approx(moved), pytest.approx(moved / total))
        for mode, total, costs in (("cost", 8.45, 6.5), ("uniform", 3.45, 1.5))
        for source, updates, moved in (
            ("imap_costs", 3, costs),
            ("imap_decision", 3, 1.5),
            ("language_positive", 1, 0.45),
        )
    ]
    assert by_source.rows() == expected


def test_a_belief_taken_back_moves_the_loss_below_zero() -> None:
    trace = TraceBuilder().round(0).dm(0, 0, 1, {"imap": "decision", "slot": 1})
    trace.dm(0, 0, 1, {"sd": "propose", "slot": 1})
    by_source = derived(trace, "release")["vps_by_source"].filter(weight_mode="uniform")
    moved = dict(by_source.select("source", "vps_loss_moved").rows())
    assert moved == {"imap_decision": 0.5, "sd_propose": pytest.approx(0.3 * 1 + 0.7 * 0.85 - 1)}


def test_a_prior_is_where_beliefs_start_and_what_losses_are_measured_from() -> None:
    trace = TraceBuilder().round(0).rendered(0, 0, CALENDARS[0]).dm(0, 0, 1, {"imap": "decision", "slot": 2})
    tables = derived(trace, weighing=Weighing(prior=0.2, weight_cap=7.0))
    assert tables["belief_evidence"].select("belief_before", "belief_after").rows() == [(0.2, 1.0)]
    pairs = tables["pair_round_vps"].select("weight_mode", "vps_loss", "weight_sum", "prior").rows()
    # Agent 0 holds an errand of cost 4, and a blocked one in slot 2, which weighs the cap.
    assert pairs == [("cost", pytest.approx(0.8 * 7), 3 + 1 + 7 + 1, 0.2), ("uniform", 0.8, 4.0, 0.2)]


def test_a_slot_beyond_the_calendar_that_was_shown_weighs_one() -> None:
    key = {"game_id": ["g"], "round": [0]}
    update = pl.DataFrame(key | {"target_agent": [0], "slot": [3], "in_calendar": [True]})
    calendar = pl.DataFrame(
        key | {"agent": [0], "costs": [[4, 9]], "blocked": pl.Series([[]], dtype=pl.List(pl.Int64))}
    )
    weights = beliefs.slot_weights(calendar, Weighing())
    assert weights["cost_weight_sum"].to_list() == [3.0 + 4.0]
    assert beliefs.weigh_updates(update, weights)["cost_weight"].to_list() == [1.0]


def test_final_beliefs_are_the_last_ones_in_the_order_of_pairs_and_slots() -> None:
    trace = TraceBuilder().round(0)
    for slot, status in ((3, "PENDING"), (1, "PENDING"), (3, "IMPOSSIBLE"), (2, "PENDING")):
        trace.dm(0, 1, 0, {"sd": "reply", "slot": slot, "reply_status": status})
    trace.dm(0, 0, 1, {"imap": "decision", "slot": 3})
    final = beliefs.final_beliefs(derived(trace)["belief_evidence"]).select("target_agent", "slot", "belief_after")
    assert final.rows() == [(0, 3, 1.0), (1, 1, 1.0), (1, 2, 1.0), (1, 3, 0.0)]


def test_games_in_one_frame_are_summed_apart_and_sorted() -> None:
    other = TraceBuilder("game-0").round(0).dm(0, 0, 1, "Slot 1 works for me.")
    other.dm(0, 0, 2, {"imap": "decision", "slot": 1})
    games = (ingested(talkative_game()), ingested(other))
    frames = ingested_frames({table: [row for game in games for row in game[table]] for table in games[0]})
    tables = privacy_frames(frames, RULES["paper"], Weighing())
    alone = derived(talkative_game())
    for name in ("pair_round_vps", "game_summary", "vps_by_source"):
        assert tables[name].filter(game_id="game-1").rows() == alone[name].rows()
        keys = tables[name].select(TABLES[name].key).rows()
        assert keys == sorted(keys)
    assert (
        tables["game_summary"].filter(game_id="game-0")["vps_loss_total"].to_list() == [pytest.approx(0.45 + 0.5)] * 2
    )


PAYLOAD = st.one_of(
    st.builds(lambda s: {"imap": "decision", "slot": s}, st.integers(-1, 5)),
    st.builds(lambda s: {"sd": "propose", "slot": s}, st.integers(-1, 5)),
    st.builds(
        lambda s, r: {"sd": "reply", "slot": s, "reply_status": r},
        st.integers(0, 3),
        st.sampled_from(["PENDING", "IMPOSSIBLE"]),
    ),
    st.builds(lambda i: {"dsm": "proposals", "plans": [{"id": k, "slot": k} for k in i]}, st.sets(st.integers(0, 5))),
    st.builds(lambda d: {"dsm": "scores", "scores": d}, st.dictionaries(st.sampled_from("0123"), st.integers(0, 15))),
)
TALK = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 2), PAYLOAD), max_size=12)


def conversation(talk: list[tuple[int, int, int, Any]]) -> TraceBuilder:
    trace = TraceBuilder()
    for number in (0, 1):
        trace.round(number).rendered(number, 0, CALENDARS[0])
        for _, sender, recipient, payload in (t for t in talk if t[0] == number):
            trace.dm(number, sender, recipient, json.dumps(payload))
    return trace


@settings(max_examples=25, deadline=None)
@given(TALK, st.sampled_from(sorted(RULES)), st.sampled_from([0.5, 0.2, 0.9]))
def test_what_always_holds(talk: list[tuple[int, int, int, Any]], rules: str, prior: float) -> None:
    tables = derived(conversation(talk), rules, Weighing(prior=prior))
    evidence = tables["belief_evidence"].filter("in_calendar")
    assert evidence.select(pl.col("belief_before", "belief_after").is_between(0, 1).all()).row(0) == (True, True)
    most = max(prior, 1 - prior)
    for loss, weight_sum in tables["pair_round_vps"].select("vps_loss", "weight_sum").drop_nulls().rows():
        assert 0 <= loss <= weight_sum * most + 1e-9
    for mode in beliefs.MODES:
        moved = tables["vps_by_source"].filter(weight_mode=mode)["vps_loss_moved"].sum()
        assert moved == pytest.approx(tables["game_summary"].filter(weight_mode=mode)["vps_loss_total"].sum())
        assert evidence.height == tables["vps_by_source"].filter(weight_mode=mode)["updates"].sum()


@pytest.mark.parametrize("name", ["prior", "weight_cap"])
@pytest.mark.parametrize("value", [-3, 2e9, float("nan"), float("inf"), "0.5", True, None])
def test_a_parameter_that_is_no_such_number_is_told(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"params.yaml: the {name} is .*, not a number between 0 and"):
        Weighing(**{name: value})
