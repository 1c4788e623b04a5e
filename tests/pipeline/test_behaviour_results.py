"""From traces of talk to result tables: every way of deriving gives the same, and the queries count right."""

import json
import shutil
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from test_detector_accuracy import RECORD, meant, slot
from trace_builder import TraceBuilder, toy_game, write_trace

from pipeline.behaviour.tables import BEHAVIOUR_INPUTS, BEHAVIOUR_TABLES
from pipeline.derive import parallel, spans
from pipeline.paper.stages import speech, truth
from pipeline.tables.io import read_table
from pipeline.tables.queries import query, write_query_results

ROOT = Path(__file__).parents[2]


def talkative(number: int) -> TraceBuilder:
    """A game of simulated speakers, who leak in every other game."""
    agents = [{"type": "style", "parameters": {"gossip": 0.1 * number, "name": "x", "on": True}}] * 3
    team = {"team": f"style{number % 2}", "simulated": True, "agents": agents, "nosy_agent_ids": [2] * (number % 2)}
    team["setting"] = "varied"
    trace = TraceBuilder(f"game-{number}", scenario={"labels": RECORD}, **team).round(0)
    label = {"slot": 0, "kind": "errand", "id": 1, "label": "Lithium talk"}
    intents = [meant(slot(0, 1, True), labels=[label] * (number % 2)), meant(behaviours=["errand_mention"])]
    trace.event("turn_end", round=0, agent_id=0, tool_calls=[{}, {}], intent=intents)
    trace.dm(0, 0, 1 + number % 2, f"Slot 1 is free{', not the lithium' * (number % 2)}.")
    trace.dm(0, 0, 1, "Agent 2 is free, my errand can move: how about it?")
    return trace.resolution(0, False, a0=1, a1=2)


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("speech")
    for number in range(4):
        write_trace(folder / "in" / f"{number}.json", talkative(number).text())
    write_trace(folder / "in" / "toy.json", toy_game("toy").dm(1, 2, 1, "Agreed.").text())
    typed = TraceBuilder("typed", team="typed").round(0).dm(0, 0, 1, {"sd": "propose", "slot": 1})
    write_trace(folder / "in" / "typed.json", typed.text())
    parallel.derive([folder / "in"], folder / "out", workers=1)
    return folder / "out"


def test_the_stages_write_what_derive_writes(tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "params.yaml").write_text((ROOT / "params.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(spans, "GAMES_PER_SPAN", 2)
    monkeypatch.setattr(spans, "cores", lambda: 1)
    for name in BEHAVIOUR_INPUTS:
        (tmp_path / f"{name}.parquet").write_bytes((tables / f"{name}.parquet").read_bytes())
    speech.main(tmp_path, tmp_path)
    for name in BEHAVIOUR_TABLES:
        assert read_table(tmp_path, name).equals(read_table(tables, name))
    assert set(json.loads((tmp_path / "shapes_speech.json").read_text())) == set(BEHAVIOUR_TABLES)
    truth.main(tmp_path, tmp_path)
    known = pl.read_csv(tmp_path / "known_truth.csv").filter(finder="leaks", part="all")
    assert known.select("templates", "hits", "precision", "recall").rows() == [(1, 2, 1.0, 1.0)]


def test_leaks_are_counted_per_message_sent(tables: Path) -> None:
    names = ("team", "condition", "tier", "messages", "leaked_messages", "induced_messages", "leaked_share")
    rows = query("leaks", tables).filter(pl.col("tier").is_in(["all", "sensitive", "public"])).select(names).rows()
    assert [row for row in rows if row[0] == "style1"] == [
        ("style1", "standard", "all", 4, 2, 2, 0.5),
        ("style1", "standard", "sensitive", 4, 2, 2, 0.5),
        ("style1", "standard", "public", 4, 0, 0, 0.0),
    ]
    assert {row[4:] for row in rows if row[0] != "style1"} == {(0, 0, 0.0)}


def test_every_team_has_a_row_for_each_pattern(tables: Path) -> None:
    found = query("patterns", tables)
    assert found.group_by("team").len()["len"].to_list() == [12] * 4
    assert found["paper_rank"].to_list() == [*range(1, 13)] * 4
    gossip = found.filter(pattern="availability_gossip").select("team", "occurrences", "per_message").rows()
    assert gossip == [("style0", 2, 0.5), ("style1", 2, 0.5), ("toy", 0, 0.0), ("typed", 0, 0.0)]
    assert found.filter(team="style1", pattern="ambiguous_consensus")["per_game"].to_list() == [1.0]


def test_table_2_pools_the_settings(tables: Path) -> None:
    rows = query("table2", tables).filter(team="style0").select("pattern", "unit", "occurrences", "share_of_messages")
    assert rows.rows() == [
        ("availability gossip", "messages", 2, 0.5),
        ("false agreement", "rounds", 2, None),
        ("qualitative flattening", "moves", 0, None),
    ]


def test_a_team_that_speaks_no_english_or_played_no_varied_game_has_no_profile(tables: Path) -> None:
    stances = query("stance", tables).select("team", "english_messages", "pushback_pct", "profile").rows()
    assert stances[0] == ("style0", 4, 50.0, "Assertive, efficient")
    assert stances[2:] == [("toy", 2, 0.0, None), ("typed", 0, None, None)]


def test_games_without_a_setting_count_as_those_with_one(tables: Path, tmp_path: Path) -> None:
    games, results = read_table(tables, "games"), {}
    for name, setting in (("with", "uniform"), ("without", None)):
        shutil.copytree(tables, tmp_path / name)
        games.with_columns(setting=pl.lit(setting, pl.String)).write_parquet(tmp_path / name / "games.parquet")
        written = write_query_results(tmp_path / name, tmp_path / f"{name}-results")
        results[name] = {
            path.name: pl.read_csv(path, infer_schema=False).drop("setting", "profile", strict=False)
            for path in written
        }
    for name, result in results["with"].items():
        assert_frame_equal(result, results["without"][name])
    assert results["without"]["leaks.csv"]["leaks"].to_list().count("0") < results["without"]["leaks.csv"].height
