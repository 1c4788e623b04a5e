"""The auditor agrees with every game of ours, by rules of its own."""

import json
from typing import Any

import msgspec
import pytest
from audit_bases import BASES, raw_of, text_of
from audit_reckless import SHAPES, reckless_game

from pipeline.traces.audit.auditor import audit
from pipeline.traces.audit.batch_rules import Meeting, check_batch
from pipeline.traces.audit.calendar import calendar_from_json, parse_calendar, render, render_with_labels
from pipeline.traces.audit.divergences import Findings
from pipeline.traces.audit.events import FIELDS_OF
from pipeline.traces.audit.identity import configured_id
from pipeline.traces.audit.metrics import agent_shares, optimum, schedule_in_order
from pipeline.traces.audit.trace import read_setup
from sim.game.game import Limits
from sim.game.trace import Trace, encoded
from sim.models.spec import TRANSPORT
from sim.runs.play import Play, config_of, identity, play_game
from sim.runs.teams import AgentSpec, Team, named_teams
from sim.tasks.oracle import NoSchedule
from sim.tasks.scenario import ScenarioError
from sim.tasks.task import Task
from tests.imports import ROOT
from tests.sim.worlds import tiny_task


def codes(trace: Trace) -> list[str]:
    return [f"{d.code}: {d}" for d in audit(encoded(trace), "t.json")]


@pytest.mark.parametrize("base", BASES)
def test_a_true_game_has_no_divergence(base: str) -> None:
    assert audit(text_of(base), "t.json") == []


def test_the_games_of_the_tests_have_every_kind_of_event() -> None:
    kinds = {e["type"] for base in BASES for e in raw_of(base)["events"]}
    described = json.loads((ROOT / "docs/trace.schema.json").read_text())["$defs"]
    assert {
        "batch_rolled_back",
        "decision_failed",
        "consistency_violation",
        "game_stopped",
        "invalid_tool_call",
    } < kinds
    assert {kind: set(described[f"{kind}_data"]["properties"]) for kind in FIELDS_OF} == FIELDS_OF
    assert {name.removesuffix("_data") for name in described if name.endswith("_data")} == FIELDS_OF.keys()
    assert kinds <= FIELDS_OF.keys()


@pytest.mark.parametrize("name", named_teams())
def test_every_team_s_games_have_no_divergence(name: str) -> None:
    for seed, shape in enumerate(SHAPES):
        task = tiny_task(seed, "varied" if seed % 2 else "uniform", **shape)
        assert codes(play_game(Play(task, named_teams()[name], Limits(max_turns_per_round=3 * seed + 1)))) == []


@pytest.mark.parametrize("seed", range(48))
def test_whatever_agents_do_the_game_and_the_auditor_agree(seed: int) -> None:
    assert codes(reckless_game(seed)) == []


CALENDAR = parse_calendar(
    "Slot 0: Errand #1 (cost=5)\nSlot 1: [FREE]\nSlot 2: Blocked Errand #2 (cost=3)\nSlot 3: Errand #3 (cost=2)"
)
NOW = Meeting(7, (0, 1), 1, (0, 1))
SCHEDULE = {"type": "schedule", "meeting_id": 7, "slot": 1}


def move(item: Any, source: Any, target: Any) -> dict[str, Any]:
    return {"type": "reschedule", "item_id": item, "from_slot": source, "to_slot": target}


BATCHES: tuple[tuple[Any, set[str], int], ...] = (
    ([SCHEDULE], set(), 0),
    ([move(1, 0, 1), SCHEDULE | {"slot": 0}], set(), 5),
    ([move(1, 0, 3), move(3, 3, 0), SCHEDULE], set(), 7),
    ([move(1, 0, 4), SCHEDULE], {"slot_out_of_bounds"}, 0),
    ([move(1, True, 1), SCHEDULE | {"slot": 3.0}], {"slot_out_of_bounds"}, 0),
    ([move(9, 0, 1), SCHEDULE | {"slot": 0}], {"unknown_item"}, 5),
    ([move(2, 2, 1), SCHEDULE | {"slot": 2}], {"blocked_move"}, 3),
    ([move(1, 0, 1), move(3, 3, 1), SCHEDULE | {"slot": 0}], {"target_conflict"}, 7),
    ([move(1, 0, 3), SCHEDULE], {"target_not_free"}, 5),
    ([move(1, 0, 0), SCHEDULE], {"target_not_free"}, 5),
    ([move(1, 0, 1), move(1, 0, 1), SCHEDULE | {"slot": 0}], {"cloned_item", "target_conflict"}, 5),
    ([], {"schedule_count"}, 0),
    ([SCHEDULE, SCHEDULE], {"schedule_count"}, 0),
    ([SCHEDULE | {"meeting_id": 8}], {"wrong_meeting"}, 0),
    ([SCHEDULE | {"slot": 0}], {"schedule_not_free"}, 0),
    ([{"type": "dm"}, SCHEDULE], {"malformed_batch"}, 0),
    ("schedule", {"malformed_batch"}, 0),
)


@pytest.mark.parametrize(("actions", "broken", "cost"), BATCHES)
def test_a_batch_is_judged_by_the_seven_rules(actions: Any, broken: set[str], cost: int) -> None:
    assert CALENDAR
    verdict = check_batch(CALENDAR, actions, NOW)
    assert ({rule.code for rule in verdict.broken}, verdict.cost) == (broken, cost)
    assert (verdict.after == CALENDAR) == bool(broken)


def test_a_calendar_is_rendered_as_it_is_read() -> None:
    for base in BASES:
        for event in raw_of(base)["events"]:
            text = event["data"].get("calendar_render")
            if text is not None and "private_label" not in text:
                assert render(parse_calendar(text) or ()) == text


@pytest.mark.parametrize("text", ["", "Slot 0: busy", "Slot 1: [FREE]", "Slot 0: [FREE]\nSlot 0: [FREE]", None, 7])
def test_what_is_no_calendar_is_not_read_as_one(text: Any) -> None:
    assert parse_calendar(text) is None


def test_labels_stand_behind_their_items() -> None:
    assert CALENDAR
    text = render_with_labels(CALENDAR, {("errand", 3): "the dentist's"})
    assert text.endswith('Slot 3: Errand #3 (cost=2) private_label="the dentist\'s"')
    assert parse_calendar(text) == CALENDAR


@pytest.mark.parametrize("slots", [None, [7], [{"errand_id": 1}], [{"cost": 1}], [{"meeting_id": "1", "cost": 1}]])
def test_a_final_calendar_that_is_none_is_not_read_as_one(slots: Any) -> None:
    assert calendar_from_json(slots) is None


def drawn_tasks() -> list[Task]:
    tasks = []
    for seed in range(60):
        try:
            tasks.append(tiny_task(seed, "varied" if seed % 2 else "uniform", **SHAPES[seed % len(SHAPES)]))
        except (ScenarioError, NoSchedule):
            continue
    return tasks


def test_shares_are_the_benchmark_s_by_another_way() -> None:
    for task in drawn_tasks():
        setup = setup_of(json.loads(encoded(play_game(Play(task, named_teams()["imap"])))))
        slots = list(task.optimal.assignments.values())
        assert agent_shares(setup.calendars, setup.meetings, slots) == list(task.optimal.per_agent_cost)


def setup_of(raw: dict[str, Any]) -> Any:
    from pipeline.traces.audit.trace import decode

    return read_setup(decode(json.dumps(raw).encode()))


def test_no_schedule_is_no_optimum() -> None:
    full = tuple(parse_calendar(f"Slot 0: Errand #{n} (cost=1)") or () for n in (1, 2))
    assert optimum(full, (NOW,)) is None
    assert schedule_in_order(full, (NOW,)) is None
    assert agent_shares(full, (NOW,), [0]) is None


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
