"""The auditor finds nothing in true games, ours and those in the public form, whatever their agents do."""

import json
from typing import Any

import msgspec
import pytest
from audit_bases import BASES, raw_of, sealed, text_of
from audit_changes import nth
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.traces.audit.auditor import audit
from pipeline.traces.audit.divergences import ERROR, Findings
from pipeline.traces.audit.identity import configured_id
from pipeline.traces.audit.trace import LABEL, parse_calendar
from pipeline.traces.audit.yardsticks import optimum, scheduled, shares
from pipeline.traces.public_form import public_form
from sim.game.game import Limits
from sim.game.trace import Trace, encoded
from sim.game.trace_schema import EVENTS
from sim.models.spec import TRANSPORT
from sim.runs.play import Play, config_of, identity, play_game
from sim.runs.teams import AgentSpec, Team, named_teams
from tests.sim.reckless import SHAPES, reckless_trace
from tests.sim.worlds import calendars, meetings, tiny_task


def codes(trace: Trace) -> list[str]:
    return [f"{d.code}: {d}" for d in audit(encoded(trace), "t.json")]


@pytest.mark.parametrize("base", BASES)
def test_a_true_game_has_no_divergence(base: str) -> None:
    assert audit(text_of(base), "t.json") == []


def test_the_games_of_the_tests_have_every_kind_of_event() -> None:
    kinds = {e["type"] for base in BASES for e in raw_of(base)["events"]}
    rare = {"batch_rolled_back", "decision_failed", "consistency_violation", "game_stopped", "invalid_tool_call"}
    assert rare < kinds <= set(EVENTS)


@pytest.mark.parametrize("name", named_teams())
def test_every_team_s_games_have_no_divergence(name: str) -> None:
    for seed, shape in enumerate(SHAPES):
        task = tiny_task(seed, "varied" if seed % 2 else "uniform", **shape)
        assert codes(play_game(Play(task, named_teams()[name], Limits(max_turns_per_round=3 * seed + 1)))) == []


@pytest.mark.parametrize("seed", range(0, 48, 4))
def test_whatever_agents_do_their_game_has_no_divergence(seed: int) -> None:
    assert codes(reckless_trace(seed)) == []


@settings(max_examples=25)
@given(st.integers(0, 400))
def test_nor_has_it_in_the_form_of_the_public_harness(seed: int) -> None:
    text = json.dumps(public_form(encoded(reckless_trace(seed)))).encode()
    assert [d for d in audit(text, "t.json") if d.severity == ERROR] == []


@pytest.mark.parametrize("text", ["", "Slot 0: busy", "Slot 1: [FREE]", "Slot  0: [FREE]", "Slot 0: [FREE]\n"])
def test_what_is_no_calendar_is_not_read_as_one(text: str) -> None:
    assert parse_calendar(text) is None


@pytest.mark.parametrize("base", BASES)
def test_a_calendar_is_rendered_as_it_is_read(base: str) -> None:
    shown = [e["data"]["calendar_render"] for e in raw_of(base)["events"] if "calendar_render" in e["data"]]
    for text in shown:
        calendar = parse_calendar(text)
        assert calendar and calendar.render == LABEL.sub("", text)


def test_a_divergence_ends_its_round_and_no_other() -> None:
    raw = raw_of("protocol")
    for number in (0, 3):
        nth(raw, "batch_applied", round=number)["cost"] = 99
    assert [(d.code, d.round) for d in audit(sealed(raw), "t.json")] == [("wrong_cost", 0), ("wrong_cost", 3)]


def test_no_schedule_is_no_optimum() -> None:
    full = tuple(calendars(["1", "1"]))
    now = meetings([(0, 1)])
    assert (optimum(full, now), scheduled(full, now), shares(full, now, [0])) == (None, None, None)


OTHERS: dict[str, Any] = {
    "api_key_env": "A_KEY",
    "needs_env": ["A_KEY"],
    "headers_env": {"X-Team": "A_TEAM"},
    "api_base": ["http://localhost/v1"],
    "api_base_env": "SERVERS",
    "mark_cache": True,
    "prices": {"input": 1, "output": 2, "date": "2026-01-01"},
}
CALLS = [{name: OTHERS.get(name, 7)} for name in sorted(TRANSPORT)]


@pytest.mark.parametrize("more", CALLS)
def test_how_a_model_is_called_is_no_part_of_the_id(more: dict[str, Any]) -> None:
    configs = []
    for parameters in ({"model": "m"}, {"model": "m"} | more):
        play = Play(tiny_task(3, num_meetings=2), Team("model", (AgentSpec("llm", parameters),)))
        configs.append(json.loads(msgspec.json.encode(config_of(play))))
        assert configured_id(configs[-1]) == identity(config_of(play))
    assert configured_id(configs[0]) == configured_id(configs[1])
    assert configured_id(configs[0] | {"repeat": 1}) != configured_id(configs[0])


def test_many_divergences_of_one_kind_are_cut_short() -> None:
    findings = Findings("t.json")
    for _ in range(1000):
        findings.add("wrong_calendar", "x" * 1000, {"a": "\ud800"})
    assert len(findings.divergences) == 200
    assert len(findings.divergences[0].expected) == 300


@pytest.mark.parametrize("field", ["started_at", "ended_at", "record_sha256", "metrics", "stopped"])
def test_a_trace_of_which_only_the_auditor_reads_a_field_is_told_under_its_game_s_id(field: str) -> None:
    raw = raw_of("protocol") | {field: 5}
    found = audit(msgspec.json.encode(raw), "t.json")
    assert [(d.code, d.severity, d.game_id) for d in found] == [("unreadable", "error", raw["game_id"])]
