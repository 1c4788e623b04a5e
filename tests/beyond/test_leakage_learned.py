"""An attacker who learns from other tasks what talk means."""

from collections.abc import Callable
from math import log2
from pathlib import Path
from random import Random

import polars as pl
import pytest

from pipeline.beyond.leakage.learned import by_team, compare, forecast_bits, learned_bits, standard_games
from pipeline.derive.parallel import derive
from pipeline.statistics.resampling import Resampling
from sim.game.trace import write
from sim.runs.play import Play, play_game
from sim.runs.teams import named_teams
from tests.beyond.small_games import BLOCKED, SETTINGS, Game, Slot
from tests.sim.worlds import tiny_task

TASKS = 24
HELD: list[Slot] = [0, 0, 1, 1, BLOCKED, BLOCKED]  # of agent 1, in an order that differs from task to task
SLOTS = len(HELD)
FREE, ERRAND = "positive", "occupied"


def played(says: Callable[[Slot, Random], str | None], tasks: int = TASKS) -> dict[str, pl.DataFrame]:
    """A game a task: agent 1 claims of each slot in English what `says` makes of what it holds."""
    draws, parts = Random(3), []
    for task in range(tasks):
        calendar = draws.sample(HELD, SLOTS)
        game = Game([[0] * SLOTS, calendar], name=f"g{task}")
        for slot, held in enumerate(calendar):
            claim = says(held, draws)
            if claim:
                game.claimed(0, 0, 1, slot, claim)
        tables = game.ended(0, {0: 0, 1: 1}).tables()
        parts.append(tables | {"games": tables["games"].with_columns(task_id=pl.lit(f"t{task}"))})
    return {name: pl.concat([part[name] for part in parts]) for name in parts[0]}


def learned(says: Callable[[Slot, Random], str | None], tasks: int = TASKS) -> float:
    """Bits that agent 0 learns of agent 1's six slots, a game."""
    bits = learned_bits(played(says, tasks), SETTINGS, 1.0).filter(observer_agent=0)
    return float(bits["bits"].mean())  # type: ignore[arg-type]


PLAIN = {0: "positive", 1: "occupied", BLOCKED: "negative"}
TWISTED = {0: "negative", 1: "positive", BLOCKED: "occupied"}


@pytest.mark.parametrize("code", [PLAIN, TWISTED])
def test_words_that_tell_all_tell_it_also_where_they_mean_something_else(code: dict[Slot, str]) -> None:
    everything = SLOTS * log2(3)
    assert 0.75 * everything < learned(lambda held, _: code[held]) < everything


def test_words_that_follow_from_nothing_tell_nothing() -> None:
    assert -0.6 < learned(lambda _, draws: draws.choice([FREE, ERRAND])) < 0.1


def test_silence_about_what_is_costly_is_heard_too() -> None:
    """Who names its free slots alone tells of the others that they are not: H(1/3) bits a slot."""
    told = SLOTS * (log2(3) - 2 / 3)
    assert 0.75 * told < learned(lambda held, _: FREE if held == 0 else None) < told


def test_a_task_teaches_nothing_about_itself() -> None:
    assert learned(lambda held, _: PLAIN[held], tasks=1) == 0


def test_a_forecast_is_the_share_in_other_tasks_that_leans_on_the_coarser_one() -> None:
    """Of task b's slot: elsewhere three slots, two free of which one was claimed so, one busy."""
    looks = {"roles": "x", "own": 0, "place": 0, "spoken": 1, "rank": 1}
    seen = pl.DataFrame({"task_id": ["a", "a", "a", "b"], "state": [0, 0, 1, 0], "said": ["c", "", "", "c"]})
    bits = forecast_bits(seen.with_columns(**{k: pl.lit(v) for k, v in looks.items()}), 2, 1.0)
    share = 2.5 / 4
    for _ in range(2):
        share = (2 + share) / (3 + 1)
    after = (2 + share) / (3 + 1)
    for _ in range(2):
        after = (1 + after) / (1 + 1)
    assert bits[3] == pytest.approx(log2(after / share))


@pytest.mark.parametrize("repeats", [1, 3])
def test_teams_stand_beside_each_other_on_the_same_tasks_however_often_one_played_them(repeats: int) -> None:
    key = {"setting": "uniform", "observer_agent": 0, "round": 0}
    bits = pl.DataFrame(
        [{**key, "team": team, "task_id": task, "game_id": f"{team} {task} {n}", "role": role, "bits": told}
         for team, factor, times in (("free", 2.0, repeats), ("polling", 1.0, 1))
         for n in range(times) for task, base in (("a", 3.0), ("b", 5.0))
         for role, told in (("initiator", factor * base), ("responder", factor))]
    )  # fmt: skip
    games = bits.filter(role="initiator").select("setting", "team", "task_id", "game_id").with_columns(
        excess_cost=1, coordination_rate=1.0, dms=12, meetings_scheduled=2)  # fmt: skip
    found = by_team({"games": games}, bits, "polling", Resampling(50, 0.95, "toy"))
    means = {(team, measure): mean for team, measure, mean in found.select("team", "measure", "mean").iter_rows()}
    assert [means["free", m] for m in ("bits_initiator", "bits_responder", "bits_everybody")] == [8, 2, 10]
    assert [means["free", f"share_{r}"] for r in ("initiator", "responder", "everybody")] == [2, 2, 2]
    assert (means["polling", "share_everybody"], means["free", "dms_per_meeting"]) == (1, 6)
    misled = by_team({"games": games}, bits.with_columns(-pl.col("bits")), "polling", Resampling(50, 0.95, "toy"))
    assert not any(measure.startswith("share_") for measure in misled["measure"])


def test_a_game_that_is_in_two_folders_counts_once(tmp_path: Path) -> None:
    for folder, tasks in (("a", 2), ("b", 3)):
        (tmp_path / folder).mkdir()
        for name, frame in played(lambda held, _: PLAIN[held], tasks).items():
            frame.write_parquet(tmp_path / folder / f"{name}.parquet")
    once, twice = (standard_games([tmp_path / name for name in names]) for names in ("b", "aba"))
    assert {name: frame.height for name, frame in twice.items()} == {name: f.height for name, f in once.items()}


def test_one_task_alone_is_nothing_to_learn_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, frame in played(lambda held, _: PLAIN[held], 1).items():
        frame.write_parquet(tmp_path / f"{name}.parquet")
    with pytest.raises(SystemExit, match="2"):
        compare([tmp_path], None)
    told = capsys.readouterr()
    assert told.out == "" and told.err.startswith("error: uniform costs: fewer than two tasks that all teams")


def compared_games(folder: Path, capsys: pytest.CaptureFixture[str], **seeds: range) -> list[str]:
    """What is printed of simulated teams that ended the tasks of these seeds, a line each."""
    for team, of_team in seeds.items():
        for seed in of_team:
            write(play_game(Play(tiny_task(seed), named_teams()[team])), folder / f"traces/{team}-{seed}.json")
    derive([folder / "traces"], folder / "tables", workers=1)
    compare([folder / "tables"], "candid")
    return capsys.readouterr().out.splitlines()


@pytest.mark.slow
def test_only_tasks_that_all_teams_ended_are_compared_and_taught(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alike = compared_games(tmp_path / "alike", capsys, candid=range(3), plain=range(3))
    lacking = compared_games(tmp_path / "lacking", capsys, candid=range(5), plain=range(3))
    assert alike[0] == "uniform costs, 3 tasks; shares are of the bits of candid"
    assert lacking[0] == alike[0].replace("3 tasks", "3 tasks (2 left out, which not all teams ended)")
    assert lacking[1:] == alike[1:]
    with pytest.raises(SystemExit, match="2"):
        compared_games(tmp_path / "apart", capsys, candid=range(2), plain=range(1, 3))
    assert "uniform costs: fewer than two tasks that all teams ended" in capsys.readouterr().err
