"""Who a trace says has played, what it took, and which labels there were: held against what these are made of."""

import json
from codecs import BOM_UTF8
from typing import Any

import pytest
from audit_bases import Raw, raw_of, sealed, text_of
from audit_changes import Change, at, forget, nth, probe, stop_at

from pipeline.traces.audit import identity
from pipeline.traces.audit.auditor import audit
from pipeline.traces.audit.divergences import NOTE
from pipeline.traces.audit.identity import configured_id
from sim.game.trace import encoded
from sim.runs.play import Play, play_game
from sim.runs.teams import Team, named_teams
from tests.sim.worlds import tiny_task

PRICES = {"input": 2.0, "output": 8.0, "date": "2026-01-02", "cached_input": 0.5}
TOKENS = {"model": "m", "input_tokens": 1000, "output_tokens": 100, "cached_input_tokens": 400}
# (600 * 2 + 400 * 0.5 + 100 * 8) / 1,000,000
PAID = TOKENS | {"cost_usd": 0.0022, "priced_by": "team, 2026-01-02"}


def codes(raw: Raw) -> list[str]:
    return [d.code for d in audit(sealed(raw), "t.json")]


def reidentified(raw: Raw) -> Raw:
    """The trace with its id made again from its configuration."""
    return raw | {"game_id": configured_id(raw["config"])}


# What an attempt took whose answer was of no use.
CHARGE = {k: PAID[k] for k in ("input_tokens", "output_tokens", "cached_input_tokens", "cost_usd", "priced_by")}


def priced(**usage: Any) -> Raw:
    """A game of a model with prices, whose first answer took this."""
    raw = raw_of("prompted")
    for agent in raw["config"]["agents"]:
        agent["parameters"]["prices"] = PRICES
    nth(raw, "turn_end")["usage"] = PAID | usage
    return reidentified(raw)


def test_a_change_by_hand_is_seen_by_the_digest() -> None:
    raw = raw_of("spoken")
    nth(raw, "turn_end")["thinking"] = "other"
    assert [d.code for d in audit(json.dumps(raw).encode(), "t.json")] == ["wrong_digest"]
    assert codes(raw) == []


@pytest.mark.slow
@pytest.mark.parametrize("base", ["spoken", "stopped"])
def test_the_digest_is_of_what_the_trace_says_not_of_how_it_is_written_down(base: str) -> None:
    text = json.dumps(dict(reversed(raw_of(base).items())), indent=2).encode()
    assert audit(text, "t.json") == []


def test_a_byte_order_mark_is_passed_over() -> None:
    assert audit(BOM_UTF8 + text_of("scripted"), "t.json") == []


def test_what_had_no_json_form_has_a_digest_too() -> None:
    trace = play_game(Play(tiny_task(3), named_teams()["imap"]))
    trace.final_state["agent_summaries"][0] = {"met": {1, 2}}
    assert [d.code for d in audit(encoded(trace), "t.json")] == []


def test_an_old_trace_without_a_digest_is_read_as_before() -> None:
    raw = raw_of("scripted")
    del raw["record_sha256"]
    assert [(d.code, d.severity) for d in audit(sealed(raw), "t.json")] == [("no_digest", NOTE)]
    assert "no_digest" not in [d.code for d in audit(text_of("public"), "t.json")]


LABEL = {"label": "Tea", "tier": "public", "terms": ["tea"], "paraphrase": "a prior appointment"}
# Each with an id and a digest made again, so that only what they are held against can tell.
FORGED: tuple[tuple[str, str, Change, str], ...] = (
    ("another label", "spoken", at("config.scenario.labels.meetings.1", LABEL), "wrong_labels"),
    ("another tier", "spoken", at("config.scenario.labels.meetings.1.tier", "none"), "wrong_labels"),
    ("other terms", "spoken", at("config.scenario.labels.meetings.1.terms", []), "wrong_labels"),
    ("a label more", "spoken", at("config.scenario.labels.meetings.99", LABEL), "wrong_labels"),
    ("a label lost", "spoken", forget("config.scenario.labels.meetings.1"), "wrong_labels"),
    ("no labels", "spoken", forget("config.scenario.labels"), "wrong_setup"),
    ("not simulated", "spoken", at("config.simulated", False), "wrong_setup"),
    ("simulated left out", "spoken", forget("config.simulated"), "wrong_setup"),
    ("an agent more", "protocol", lambda raw: raw["config"]["agents"].append({"type": "imap"}), "wrong_setup"),
    ("no agents", "protocol", at("config.agents", []), "wrong_setup"),
    ("an agent that probes", "protocol", at("config.agents.0.nosy", True), "wrong_setup"),
    ("no sweeps stated", "protocol", forget("config.max_turns_per_round"), "wrong_setup"),
    ("no retries stated", "protocol", forget("config.decision_retries"), "wrong_setup"),
    ("no cap stated", "protocol", forget("config.dm_cap"), "wrong_setup"),
    ("no channels stated", "protocol", forget("config.channels"), "wrong_setup"),
    ("no known channel", "protocol", at("config.channels", "dm"), "wrong_setup"),
    ("a protocol that probes", "protocol", probe(0), "wrong_setup"),
    ("a model that probes unasked", "prompted", probe(0), "wrong_setup"),
    ("a prober that does not probe", "spoken", at("config.agents.0.type", "adaptive-prober"), "wrong_setup"),
    ("a protocol's game stops", "protocol", stop_at("turn_start", "no answer", round=2), "stop_claim"),
    ("a game stops at a decision", "protocol", stop_at("decide_start", "no answer", round=2), "stop_claim"),
    ("a game stops between rounds", "prompted", stop_at("round_start", "no answer", round=1), "stop_claim"),
    ("another model", "prompted", at("config.agents.0.parameters.model", "n"), "wrong_usage"),
)


@pytest.mark.slow
@pytest.mark.parametrize(("base", "change", "code"), [f[1:] for f in FORGED], ids=[f[0] for f in FORGED])
def test_what_a_forger_changes_does_not_fit_what_it_is_made_of(base: str, change: Change, code: str) -> None:
    raw = raw_of(base)
    change(raw)
    assert code in codes(reidentified(raw))


@pytest.mark.parametrize("kind", ["turn_start", "decide_start"])
def test_a_game_stops_where_a_model_was_to_answer(kind: str) -> None:
    raw = raw_of("prompted")
    stop_at(kind, "no answer", round=1)(raw)
    assert "stop_claim" not in codes(raw)


@pytest.mark.slow
def test_who_imitates_is_called_simulated_whoever_made_the_team() -> None:
    team = Team("mine", named_teams()["candid"].agents)
    trace = play_game(Play(tiny_task(3), team))
    assert trace.config["simulated"] is True
    assert audit(encoded(trace), "t.json") == []


def test_an_answer_at_its_team_s_prices_is_right() -> None:
    assert codes(priced()) == []
    assert codes(priced(priced_by="team, 2025-12-31", cost_usd=5.0)) == []
    assert codes(priced(cost_usd=5.0, from_cache=True)) == ["odd_price"]
    dearer = CHARGE | {"cost_usd": 0.0023}
    assert codes(priced(charged_attempts=[dearer], from_cache=True)) == ["odd_price"]
    assert codes(priced(charged_attempts=[CHARGE, dict.fromkeys(CHARGE)])) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "usage",
    [
        {"cost_usd": 0.0023},
        {"cost_usd": "0.0022"},
        {"cost_usd": [0.0022]},
        {"input_tokens": 999},
        {"output_tokens": 101},
        {"cached_input_tokens": 0},
        {"input_tokens": -1},
        {"input_tokens": None, "cached_input_tokens": None},
        {"priced_by": None},
        {"cost_usd": None},
        {"model": "n"},
        {"charged_attempts": [CHARGE, CHARGE | {"cost_usd": 0.0023}]},
        {"charged_attempts": [CHARGE | {"output_tokens": -1}]},
        {"charged_attempts": [7]},
        {"charged_attempts": "none"},
    ],
)
def test_an_answer_whose_cost_is_not_that_of_its_tokens_is_found_out(usage: dict[str, Any]) -> None:
    assert codes(priced(**usage)) == ["wrong_usage"]


UNPRICED = {"cost_usd": None, "priced_by": None}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("usage", "told"),
    [
        (UNPRICED | {"cached_input_tokens": 1001}, ["odd_tokens"]),
        (UNPRICED | {"input_tokens": None, "cached_input_tokens": 64}, ["odd_tokens"]),
        (UNPRICED | {"input_tokens": 10**12}, ["odd_tokens"]),
        ({"reasoning_tokens": 101}, ["odd_tokens"]),
        ({"reasoning_tokens": 100}, []),
        ({"cached_input_tokens": 1001}, ["odd_tokens", "wrong_usage"]),
        ({"cached_input_tokens": 1001, "priced_by": "inspect"}, ["odd_tokens"]),
    ],
)
def test_odd_counts_of_a_provider_s_are_a_note_and_have_no_price(usage: dict[str, Any], told: list[str]) -> None:
    assert codes(priced(**usage)) == told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cost", "told"), [(0.0028, []), (0.0026, []), (0.0029, ["odd_price"]), (0.001, ["odd_price"])]
)
def test_a_cost_that_litellm_s_table_cannot_give_is_a_note(
    cost: float, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = {"input_cost_per_token": 2e-6, "output_cost_per_token": 8e-6, "cache_read_input_token_cost": 1e-6}
    monkeypatch.setattr(identity, "price_table", lambda: {"m": entry})
    source = f"litellm {identity.installed_version()}"
    assert codes(priced(cost_usd=cost, priced_by=source)) == told
    assert codes(priced(cost_usd=99.0, priced_by="litellm 0.0")) == []


@pytest.mark.slow
def test_litellm_s_table_is_read_without_the_library() -> None:
    assert identity.installed_version()
    assert {"input_cost_per_token", "output_cost_per_token"} <= identity.price_table()["gpt-4o"].keys()
