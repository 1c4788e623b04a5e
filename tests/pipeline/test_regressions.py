"""The regressions of games: a team's repeats of a task say no more than their mean."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from statistics_check import games as drawn

from pipeline.statistics import regressions
from pipeline.statistics.regressions import cell_means, falls, fits_table, slopes_table
from pipeline.statistics.resampling import stream

COUNTED = ["games", "left_out"]
GROUP = {"others": ["0", "1", "2"]}
TESTS = regressions.Tests(draws=3)


def played(repeats: int = 1) -> pl.DataFrame:
    """Games of three teams on five tasks of each setting, some with an excess below 0, each so often."""
    parts = [
        drawn(stream("repeats", setting), 3, 5, slope=-0.3).select(
            pl.col("model").cast(pl.String).alias("team"),
            pl.format("{} {}", pl.lit(setting), "task").alias("task_id"),
            pl.lit(False).alias("simulated"),
            pl.lit(setting).alias("setting"),
            pl.col("y").alias("vps_uniform_mean"),
            pl.col("x").alias("excess_cost"),
        )
        for setting in ("uniform", "varied")
    ]
    return pl.concat(parts * repeats)


@pytest.mark.parametrize("table", [pytest.param("fits", marks=pytest.mark.slow), "lines"])
def test_games_played_again_to_the_byte_move_no_figure(table: str) -> None:
    if table == "lines":
        assert_frame_equal(slopes_table(played(5), GROUP), slopes_table(played(), GROUP), check_exact=True)
        return
    once, again = (fits_table(played(repeats), GROUP, TESTS) for repeats in (1, 5))
    assert_frame_equal(again.drop(COUNTED), once.drop(COUNTED), check_exact=True)
    assert_frame_equal(again.select(COUNTED), once.select(pl.col(COUNTED) * 5))
    assert once.filter(predictor="raw")["p_permutation"].null_count() == 0 < once["left_out"].sum()


def test_a_cell_is_the_mean_of_its_games_that_have_both_values() -> None:
    cell = {"team": "a", "task_id": "t", "setting": None, "simulated": False}
    values = [(1.0, 2), (2.0, 3), (9.0, None), (None, 9)]
    games = pl.DataFrame([cell | {"vps_uniform_mean": y, "excess_cost": x} for y, x in values])
    (row,) = cell_means(games).to_dicts()
    assert row == cell | {"vps_uniform_mean": 1.5, "excess_cost": 2.5, "games": 2}


@pytest.mark.parametrize(
    ("wald", "permutation", "bootstrap", "verdict"),
    [
        (0.01, None, 0.02, True),
        (9e-6, 0.5, None, None),
        (0.3, 0.04, None, None),
        (0.3, 0.4, None, False),
    ],
)
def test_a_slope_falls_where_wald_and_the_test_beside_it_say_so(
    wald: float | None, permutation: float | None, bootstrap: float | None, verdict: bool | None
) -> None:
    assert falls(LEVEL | {"p_one_sided": wald, "p_permutation": permutation, "p_bootstrap": bootstrap}) is verdict
    assert falls(None) is None


# VPS varies by 0.5 within a team.
LEVEL = {"draws": 24, "n_tasks": 6, "low": -0.1, "var_task": 0.09, "var_residual": 0.16}
