"""Orders of teams, priors of settings that nobody stated, and the stage as a whole."""

from math import log2
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau
from small_games import SETTINGS, Game

from pipeline.beyond.leakage import tables as stage
from pipeline.beyond.leakage.gains import setting_prior
from pipeline.beyond.leakage.tables import TABLES as LEAKED
from pipeline.beyond.leakage.tables import by_prior, kendall, orders
from pipeline.statistics.resampling import Resampling
from pipeline.tables.io import polars_schema, write_table
from pipeline.tables.schemas.base import TABLES

values = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=7)


@given(values)
def test_tau_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    a, b = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    theirs = kendalltau(a, b).statistic if len(set(a)) > 1 and len(set(b)) > 1 else np.nan
    assert kendall(a[None], b[None])[0] == pytest.approx(theirs, nan_ok=True)


def test_an_order_that_every_task_shows_has_no_interval_to_speak_of() -> None:
    rows = [(t, False, "uniform", "standard", f"k{k}", i + k, 2 * i + k) for i, t in enumerate("abc") for k in range(4)]
    schema = ["team", "simulated", "setting", "condition", "task_id", "x", "y"]
    found = orders(pl.DataFrame(rows, schema=schema, orient="row"), [("x", "y")], Resampling(50, 0.95, "test"))
    assert found.select("group", "tau", "low", "high").rows() == [("all", 1, 1, 1), ("protocols", 1, 1, 1)]


def test_a_setting_that_nobody_stated_has_the_prior_of_its_own_calendars() -> None:
    items = Game([[0, 5, 7, 0], [5, 0, 5, 0]]).tables()["items"]
    prior = setting_prior("mine", items, 8, SETTINGS)
    assert prior.states.costs == (5, 7)
    assert prior.probability == pytest.approx([0.25, 0.25 * 3 / 4, 0.25 / 4, 0.5])


@pytest.mark.slow
def test_tables_that_tell_little_have_a_result_all_the_same(tmp_path: Path) -> None:
    silent = Game([[0, 1], [1, 0]])
    cases = {
        "rounds": silent.tables(),
        "games": {name: frame.clear() for name, frame in silent.tables().items()},
        "names": silent.tables() | {"games": silent.tables()["games"].with_columns(task_id=None, condition=None)},
    }
    for case, tables in cases.items():
        for name, frame in tables.items():
            write_table(frame, TABLES[name], tmp_path / case, csv=False)
        stage.main(tmp_path / case, tmp_path / case / "out")
        found = pl.read_parquet(tmp_path / case / "out/leaked_games.parquet")
        assert found["bits"].to_list() == [0.0] * tables["games"].height


def test_a_game_that_was_broken_off_is_measured_but_stands_for_no_team(tmp_path: Path) -> None:
    whole, broken = (Game([[0, 1], [1, 0]], name=name).claimed(0, 0, 1, 1, "positive") for name in ("whole", "broken"))
    parts = whole.ended(0, {0: 1, 1: 1}).tables(), broken.ended(0, {0: 1, 1: 1}).tables()
    for name in parts[0]:
        write_table(pl.concat([part[name] for part in parts]), TABLES[name], tmp_path, csv=False)
    games = pl.read_parquet(tmp_path / "games.parquet").with_columns(stopped=pl.col("game_id") == "broken")
    write_table(games, TABLES["games"], tmp_path, csv=False)
    stage.main(tmp_path, tmp_path / "out")
    teams = pl.read_parquet(tmp_path / "out/leaked_teams.parquet").filter(measure="bits")
    assert pl.read_parquet(tmp_path / "out/leaked_games.parquet").height == 2 and teams["games"].to_list() == [1]


def test_the_stage_writes_each_table_of_a_folder_under_its_name(tmp_path: Path) -> None:
    game = Game([[0, 1], [1, 0], [0, 0]]).claimed(0, 0, 1, 1, "positive").claimed(0, 0, 1, 1, "occupied")
    game.ended(0, {0: 1, 1: 1})
    summary = {"vps_loss_mean": 0.4, "all_pairs_vps_loss_mean": 0.1}
    for mode in ("uniform", "cost"):
        game._add("game_summary", weight_mode=mode, **summary)
    for name, frame in game.tables().items():
        write_table(frame, TABLES[name], tmp_path, csv=False)
    stage.main(tmp_path, tmp_path / "out")
    written = {path.stem: pl.read_parquet(path) for path in (tmp_path / "out").iterdir()}
    assert set(written) == set(LEAKED)
    for name, table in LEAKED.items():
        assert dict(written[name].schema) == polars_schema(table)
    assert written["leaked_games"].select("vps", "vps_reversed").row(0) == (0.4, pytest.approx(0.45))


@pytest.mark.slow
def test_another_prior_gives_other_bits() -> None:
    game = Game([[0, 1], [1, 0]]).claimed(0, 0, 1, 1, "positive").ended(0, {0: 1, 1: 1})
    vps = pl.DataFrame({"game_id": ["g"], "vps": [1.0]})
    found = by_prior(game.tables(), vps, SETTINGS).select("feasible", "bits").rows()
    gains = [p * log2(p / q) + (1 - p) * log2((1 - p) / (1 - q)) for q, p in ((0.5, 0.95), (0.8, 0.76 / 0.77))]
    assert found == [(0.5, pytest.approx(gains[0] / 2)), (0.8, pytest.approx(gains[1] / 2))]  # one of two ordered pairs
