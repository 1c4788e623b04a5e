"""Metric checks: a change to a trace changes what it says and nothing else, and the page explains each failure."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from pipeline.privacy.language.messages import language_claims
from pipeline.privacy.rules import RULES
from pipeline.reports.documents.metrics import FAILURES, OUTCOMES, POLICIES
from pipeline.statistics.metric_checks import permute_ids, perturb_messages
from pipeline.statistics.metric_checks.checks import Case, check_games, holds, verdict_table
from pipeline.statistics.metric_checks.metrics import CHANGES, METRICS
from pipeline.statistics.metric_checks.perturb_costs import scale_costs
from pipeline.statistics.metric_checks.policies import compare_with_protocols
from sim.game.trace import encoded
from sim.runs.play import Play, play_game
from sim.runs.teams import DEGENERATE, named_teams
from tests.sim.worlds import tiny_task

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "data" / "results"
TASK = tiny_task(9, "varied", num_agents=5, num_participants=3, num_slots=9, errand_cost_values=(1, 100))
PROTOCOLS = ("imap", "sd", "dsm-welfare", "dsm-private")
TEAMS = ("imap", "exact")
EVERY = [m.column for m in METRICS]
AGENTS, SLOTS = [3, 0, 4, 1, 2], [8, 3, 0, 7, 1, 5, 2, 6, 4]


@cache
def trace_text(team: str) -> bytes:
    return encoded(play_game(Play(TASK, named_teams()[team])))


def game(team: str) -> dict[str, Any]:
    raw: dict[str, Any] = msgspec.json.decode(trace_text(team))
    return raw


@pytest.fixture(scope="module")
def tested() -> list[Case]:
    return list(check_games(game(team) for team in TEAMS))


def failed(tested: list[Case], change: str) -> set[str]:
    """The metrics that fail in some game with the change."""
    return {m for c in tested for m in EVERY if c.change.name == change and not holds(c, m)}


@pytest.mark.parametrize("change", ["relabel agents", "relabel slots", "add an empty round"])
def test_names_and_silence_move_no_metric(change: str, tested: list[Case]) -> None:
    assert failed(tested, change) == set()


@pytest.mark.parametrize(
    ("change", "metric"),
    [
        ("split messages", "dms_per_meeting"),
        ("repeat messages", "dms_per_meeting"),
        ("repeat messages", "vps_uniform_mean"),
        ("move to the group", "dms_per_meeting"),
        ("tell an outsider", "vps_uniform_mean"),
        ("count in smaller units", "vps_cost_mean"),
    ],
)
def test_what_the_paper_s_definitions_fail_is_found(change: str, metric: str, tested: list[Case]) -> None:
    assert metric in failed(tested, change)


def test_what_is_counted_from_moves_and_resolutions_passes_everything(tested: list[Case]) -> None:
    counted = {"meetings_scheduled", "coordination_rate_pct", "excess_cost", "fairness"}
    assert not counted & {m for change in CHANGES for m in failed(tested, change.name)}


def test_a_verdict_shows_the_worst_game(tested: list[Case]) -> None:
    rows = {(r["change"], r["kind"], r["metric"]): r for r in verdict_table(tested).iter_rows(named=True)}
    row = rows["repeat messages", "protocols", "dms_per_meeting"]
    assert (row["games"], row["holds"], row["after"]) == (1, 0, 2 * row["before"])
    assert rows["relabel agents", "speakers", "fairness"]["before"] is None


ENGLISH = [
    ("Slots 0, 2 and 4 to 6 are free.", "Slots 8, 0, 1, 5 and 2 are free."),
    ("slot #3 works for Agent 3", "slot #7 works for Agent 3"),
    ("Meeting 2: I have 1 and 8 free.", "Meeting 2: I have 3 and 4 free."),
    ("Slots 0 or 1 cost 1, slot 2 would cost me 5.", "Slots 8 or 3 cost 1, slot 0 would cost me 5."),
    ("Errand #7 is at slot 7.", "Errand #7 is at slot 6."),
    ("The cost of slot 5 is 1.", "The cost of slot 5 is 1."),
    ("It has 99 and 100.", "It has 99 and 100."),
]


@pytest.mark.parametrize(("before", "after"), ENGLISH)
def test_slots_change_their_numbers_in_english(before: str, after: str) -> None:
    raw = {"events": [{"data": {"content": before}}]}
    assert permute_ids.permute_slots(raw, SLOTS)["events"][0]["data"]["content"] == after


def test_agents_change_their_numbers_in_english() -> None:
    raw = {"events": [{"data": {"content": "Agent 0 and agents 1 and 4 like slot 2; agent 3, slots 1 and 2."}}]}
    changed = permute_ids.permute_agents(raw, AGENTS)["events"][0]["data"]["content"]
    assert changed == "Agent 3 and agents 0 and 2 like slot 2; agent 1, slots 1 and 2."


def inverse(order: list[int]) -> list[int]:
    return [order.index(i) for i in range(len(order))]


@pytest.mark.parametrize("team", PROTOCOLS)
def test_new_numbers_and_back_is_the_same_game(team: str) -> None:
    raw = game(team)
    for change, order in ((permute_ids.permute_agents, AGENTS), (permute_ids.permute_slots, SLOTS)):
        changed = change(raw, order)
        assert changed["events"] != raw["events"]
        assert parsed(change(changed, inverse(order))["events"]) == parsed(raw["events"])


def parsed(events: list[dict[str, Any]]) -> list[Any]:
    """The events, with messages as values, as JSON may be spaced in another way."""
    return [e | {"data": e["data"] | {"content": json.loads(e["data"].get("content") or "0")}} for e in events]


@pytest.mark.parametrize("team", ["exact", "vague"])
def test_an_english_message_says_the_same_of_the_new_numbers(team: str) -> None:
    raw = game(team)
    for change, agent, slot in (
        (permute_ids.permute_agents(raw, AGENTS), AGENTS, list(range(9))),
        (permute_ids.permute_slots(raw, SLOTS), list(range(5)), SLOTS),
    ):
        for before, after in zip(raw["events"], change["events"], strict=True):
            if before["type"] == "dm_sent":
                claimed = claims(before["data"])
                assert claims(after["data"]) == {(agent[t], None if s is None else slot[s], e) for t, s, e in claimed}


def claims(data: dict[str, Any]) -> set[tuple[int, int | None, float]]:
    return {c[:2] + c[3:4] for c in language_claims(data["content"], data["from_agent"], RULES["paper"])}


def messages(raw: dict[str, Any]) -> list[dict[str, Any]]:
    return [e["data"] for e in raw["events"] if e["type"] in perturb_messages.SENT]


def test_reordered_messages_keep_each_speaker_s_order_and_no_answer_comes_first() -> None:
    raw = game("imap")
    before, after = messages(raw), messages(perturb_messages.reorder_messages(raw, "x"))
    assert before != after
    for agent in range(5):
        mine = [
            [m for m in sent if agent in (m["from_agent"], *perturb_messages.recipients(m))] for sent in (before, after)
        ]
        assert [m for m in mine[0] if m["from_agent"] == agent] == [m for m in mine[1] if m["from_agent"] == agent]
        split = [[(m["from_agent"] == agent) for m in sent] for sent in mine]
        assert split[0] == split[1]


def test_split_messages_say_the_same_in_more() -> None:
    assert perturb_messages.content_halves("One. Two! Three?") == ["One.", "Two! Three?"]
    assert perturb_messages.content_halves("Only one.") == ["Only one."]
    parts = [
        json.loads(part)
        for part in perturb_messages.content_halves('{"imap": "costs", "costs": {"0": 1, "1": 2, "2": null}}')
    ]
    assert parts == [{"imap": "costs", "costs": {"0": 1}}, {"imap": "costs", "costs": {"1": 2, "2": None}}]


def test_an_empty_round_ends_the_game_and_smaller_units_are_everywhere() -> None:
    raw = perturb_messages.add_empty_round(game("imap"))
    assert [e["type"] for e in raw["events"][-2:]] == ["resolution", "game_end"]
    assert raw["events"][-2]["data"]["round"] == len(TASK.meetings)
    scaled = scale_costs(game("imap"))
    assert scaled["metrics"]["optimal_cost"] == 10 * game("imap")["metrics"]["optimal_cost"]
    assert "(cost=1000)" in json.dumps(scaled["events"])


def test_a_policy_is_set_beside_the_best_protocol() -> None:
    figures: dict[str, float | None] = dict.fromkeys(EVERY, 1.0)
    rows = [{"team": "imap", **figures}, {"team": "sd", **figures, "fairness": 2.0, "excess_cost": 3.0}]
    table1 = pl.DataFrame([{"setting": "uniform", "condition": "standard", **row} for row in rows])
    policy = pl.DataFrame([{"team": "silent", "setting": "uniform", **figures, "excess_cost": 0.0, "fairness": None}])
    found = {r["metric"]: r for r in compare_with_protocols(policy, table1).iter_rows(named=True)}
    assert found["excess_cost"]["outcome"] == "wins"
    assert (found["fairness"]["outcome"], found["fairness"]["best_protocol"]) == ("undefined", "sd")
    assert found["dms_per_meeting"]["outcome"] == "ties"


def test_every_failure_and_every_win_has_its_sentence_and_no_sentence_is_left_over() -> None:
    checks = pl.read_csv(RESULTS / "metric_checks.csv").filter(pl.col("holds") < pl.col("games"))
    assert set(FAILURES) == set(checks.select("metric", "change").rows())
    outcomes = pl.read_csv(RESULTS / "degenerate.csv").filter(pl.col("outcome").is_in(["wins", "undefined"]))
    assert set(OUTCOMES) == set(outcomes.select("metric", "outcome").rows())
    assert tuple(POLICIES) == tuple(DEGENERATE)
