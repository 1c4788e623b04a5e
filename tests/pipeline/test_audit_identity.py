"""Who a trace says has played, what it took, and which labels there were: held against what these are made of."""

import json
from codecs import BOM_UTF8
from typing import Any

import pytest
from audit_bases import Raw, raw_of, sealed, text_of
from audit_changes import Change, at, forget, nth, probe, stop_at

from pipeline.traces.audit.auditor import audit
from pipeline.traces.audit.divergences import NOTE
from pipeline.traces.audit.identity import configured_id
from sim.game.trace import encoded
from sim.runs.play import Play, play_game
from sim.runs.teams import Team, named_teams
from tests.sim.worlds import tiny_task


def codes(raw: Raw) -> list[str]:
    return [d.code for d in audit(sealed(raw), "t.json")]


def reidentified(raw: Raw) -> Raw:
    """The trace with its id made again from its configuration."""
    return raw | {"game_id": configured_id(raw["config"])}


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


def answered(**usage: Any) -> Change:
    """The first answer took this, too."""
    return lambda raw: nth(raw, "turn_end")["usage"].update(usage)


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
    ("an answer of another model", "prompted", answered(model="n"), "wrong_usage"),
    ("usage of another kind", "prompted", answered(pennies=1), "wrong_usage"),
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
