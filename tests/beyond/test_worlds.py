"""Larger worlds: named seeds, what a suite's file says, and exponents of power laws that are known."""

from collections.abc import Sequence
from math import log, sqrt
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
import yaml
from typer.testing import CliRunner

from pipeline.beyond.worlds import (
    MEASURES,
    TABLES,
    exponent,
    games_of,
    growth,
    held_out,
    points,
    swept,
)
from pipeline.beyond.worlds_suites import (
    cells,
    known_optimum,
    least_cost,
    seed_of,
    suite_tasks,
    tasks,
)
from pipeline.derive.parallel import Recipe, derive
from pipeline.tables.io import conform, write_csv
from sim.__main__ import app

SMALL: dict[str, Any] = {
    "base": {"num_agents": 3, "num_participants": 2, "num_slots": 6, "num_meetings": 3, "density": 0.5},
    "sweeps": {"agents": [{"num_agents": 3}, {"num_agents": 4}], "slots": [{"num_slots": 6}, {"num_slots": 8}]},
    "settings": ["uniform", "varied"],
    "seeds": 2,
    "name": "small",
}


def run(*words: str) -> None:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 0, result.output


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A suite's file of the small grid, and the folder of derived tables of one protocol's games."""
    base = tmp_path_factory.mktemp("worlds")
    write_csv(tasks(SMALL), base / "list.csv")
    run("suite", str(base / "list.csv"), "--out", str(base / "tasks.jsonl"), "--workers", "1")
    run("run", str(base / "tasks.jsonl"), "--team", "imap", "--out", str(base / "imap.jsonl.zst"), "--workers", "1")
    derive([base / "imap.jsonl.zst"], base / "derived", Recipe(csv=False), workers=1)
    return base / "tasks.jsonl", base / "derived"


def test_a_cell_that_two_sweeps_share_is_played_once() -> None:
    listed = tasks(SMALL)
    assert [sweep for sweep, _ in cells(SMALL)] == ["agents", "agents", "slots", "slots"]
    assert listed.height == 3 * 2 * 2 == listed["task_id"].n_unique() == listed["seed"].n_unique()


def test_a_seed_is_that_of_its_name_and_of_nothing_else() -> None:
    more = SMALL | {"seeds": 3, "sweeps": {"agents": SMALL["sweeps"]["agents"]}}
    before = dict(tasks(SMALL).select("task_id", "seed").iter_rows())
    after = dict(tasks(more).select("task_id", "seed").iter_rows())
    assert all(before[name] == seed for name, seed in after.items() if name in before)
    assert seed_of("small:3a_2p_6s_3m_d0p5_uniform_1") == before["3a_2p_6s_3m_d0p5_uniform_1"]


def test_tables_of_a_grid_are_as_declared(world: tuple[Path, Path]) -> None:
    settings = yaml.safe_load(Path("notebooks/beyond/params.yaml").read_text())["leakage"]
    listed = suite_tasks(world[0])
    games = games_of(world[1], listed, settings)
    assert conform(listed, TABLES["worlds_tasks"])["proven"].all()
    found = conform(games, TABLES["worlds_games"])
    assert found.height == 12 and (found["excess"] == found["most_excess"]).all()
    of_pairs = found["bits_per_meeting"] * found["num_meetings"]
    assert of_pairs.to_list() == pytest.approx(
        (found["bits"] * found["num_agents"] * (found["num_agents"] - 1)).to_list()
    )
    in_sweeps = swept(games, SMALL)
    assert in_sweeps.height == 4 * 4
    conform(points(in_sweeps, ["sweep", "value", "setting", "protocol"], 0.95), TABLES["worlds_points"])
    assert set(conform(growth(in_sweeps, 0.95), TABLES["worlds_growth"])["measure"]) == set(MEASURES)


def test_what_the_search_left_open_is_proven_by_another_solver(world: tuple[Path, Path]) -> None:
    for line in world[0].read_bytes().splitlines():
        task = msgspec.json.decode(line)
        least = task["optimal"]["cost"]
        assert least_cost(task) == least
        assert known_optimum(task | {"optimal": {"cost": least + 5}, "optimal_bound": 0}) == (least, least)


def test_without_a_proof_both_ends_are_kept(world: tuple[Path, Path]) -> None:
    task = msgspec.json.decode(world[0].read_bytes().splitlines()[0])
    full = [[item or {"errand_id": 0, "cost": 1} for item in calendar] for calendar in task["calendars"]]
    nowhere = task | {"calendars": full, "optimal": {"cost": 9}, "optimal_bound": 4}
    assert least_cost(nowhere) is None
    assert known_optimum(nowhere) == (9, 4)


def test_a_game_of_another_suite_is_refused(world: tuple[Path, Path]) -> None:
    settings = yaml.safe_load(Path("notebooks/beyond/params.yaml").read_text())["leakage"]
    with pytest.raises(ValueError, match="is not in the suite; derive its games again"):
        games_of(world[1], suite_tasks(world[0]).head(3), settings)


def some(values: Sequence[tuple[float, float]]) -> pl.DataFrame:
    return pl.DataFrame([{"value": size, "bits": value} for size, value in values])


@pytest.mark.parametrize("power", [-1.0, 0.0, 0.5, 2.0])
def test_a_power_law_has_its_exponent(power: float) -> None:
    found = exponent(some([(s, 3 * s**power) for s in (2.0, 5.0, 10.0, 50.0) for _ in range(2)]), "bits", 0.95)
    assert [found[name] for name in ("exponent", "low", "high")] == pytest.approx([power] * 3)


def test_an_exponent_s_interval_holds_it_and_a_mean_of_0_has_none() -> None:
    noisy = exponent(some([(s, s * n) for s in (1.0, 2.0, 4.0) for n in (0.8, 1.0, 1.2)]), "bits", 0.95)
    # Two cells weigh, each with a log mean of variance 0.2² / 3 and two worlds to spare: df 4.
    reach = 2.7764451 * sqrt(2 * 0.04 / 3) / log(4)
    assert [noisy[n] for n in ("exponent", "low", "high", "df")] == pytest.approx([1, 1 - reach, 1 + reach, 4])
    none = exponent(some([(s, (s - 1) * n) for s in (1.0, 2.0) for n in (1.0, 2.0)]), "bits", 0.95)
    assert (none["exponent"], none["low"], none["high"], none["df"]) == (None, None, None, None)


def test_a_cell_s_interval_is_student_s() -> None:
    games = pl.DataFrame([dict.fromkeys(MEASURES, v) | {"setting": "varied"} for v in (1.0, 2.0, 3.0, 6.0)])
    row = points(games, ["setting"], 0.95).row(0, named=True)
    assert (row["mean"], row["low"], row["high"]) == pytest.approx((3.0, 3 - 3.4373, 3 + 3.4373), abs=1e-3)
    assert points(games.head(1), ["setting"], 0.95)["low"].null_count() == len(MEASURES)


def test_a_protocol_s_slots_are_held_against_imap_s(world: tuple[Path, Path], tmp_path: Path) -> None:
    for team, pack in (("imap", "small/imap"), ("imap", "held_out/small"), ("sd", "other/held_out/small")):
        run("run", str(world[0]), "--team", team, "--out", str(tmp_path / f"{pack}.jsonl.zst"), "--workers", "1")
    (tmp_path / "other/small").symlink_to(tmp_path / "small")
    same, other = (held_out("small", "small", suite_tasks(world[0]), t) for t in (tmp_path, tmp_path / "other"))
    assert conform(same, TABLES["worlds_held_out"])["same"].to_list() == same["meetings"].to_list()
    assert (other["same"] < other["meetings"]).any() and other["excess"].sum() > same["excess"].sum() >= 0
