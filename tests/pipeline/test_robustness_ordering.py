"""Orders of teams at points of a grid: ranks, correlations and flips, against scipy and figures worked by hand."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from pipeline.statistics.resampling import Resampling, stream
from pipeline.statistics.robustness import ordering
from pipeline.statistics.robustness.sweep import Grid

GRID = Grid(["paper"], [0.5, 0.9], [0.05])  # 8 points
CHOICE = {"rules": "paper", "prior": 0.5, "epsilon": 0.05, "weight_mode": "uniform", "pairs": "observed"}


HOW = Resampling(200, 0.95, "ordering")


def games(teams: str, tasks: int, setting: str = "uniform") -> pl.DataFrame:
    rows = [(team, team in "xyz", setting, f"t{task}") for team in teams for task in range(tasks)]
    return pl.DataFrame(rows, schema=["team", "simulated", "setting", "task_id"], orient="row")


def swept(means: list[list[float]], tasks: int = 6) -> np.ndarray:
    """VPS of points × games: each point's means of teams, with the same small spread over tasks."""
    spread = np.linspace(-0.01, 0.01, tasks)
    rows = means + [means[0]] * (GRID.points().height - len(means))
    return np.array([[mean + s for mean in row for s in spread] for row in rows])


def test_means_ranks_and_what_changed() -> None:
    found = ordering.standings(swept([[3, 1, 2], [1, 1, 2]]), games("abx", 6), HOW)
    points = ordering.with_changes(GRID.points(), CHOICE)
    table = ordering.means_table(points, found)
    assert table.filter(~pl.col("vps").is_between("low", "high")).height == 0
    first = table.filter(changed="").select("team", "simulated", "games", "vps", "rank")
    assert first.rows() == [("a", False, 6, 3.0, 3), ("b", False, 6, 1.0, 1), ("x", True, 6, 2.0, 2)]
    assert table.filter(changed="pairs")["rank"].to_list() == [1, 1, 3]
    assert set(table["changed"]) == {
        "", "pairs", "weight_mode", "weight_mode+pairs", "prior", "prior+pairs", "prior+weight_mode",
        "prior+weight_mode+pairs",
    }  # fmt: skip


def test_only_teams_that_share_tasks_are_ranked() -> None:
    three = games("abx", 4).with_columns(task_id=pl.Series([*"uvpq", *"stwy", *"stpq"]))
    table = ordering.means_table(GRID.points(), ordering.standings(swept([[3, 1, 2]], 4), three, HOW))
    assert table.group_by("team").agg(pl.col("rank").unique()).sort("team").rows() == [
        ("a", [2]),
        ("b", [1]),
        ("x", [2]),
    ]
    apart = games("ab", 2).with_columns(task_id=pl.Series(["u", "v", "s", "t"]))
    found = ordering.standings(swept([[3, 1], [1, 3]], 2), apart, HOW)
    table = ordering.means_table(GRID.points(), found)
    assert set(table["rank"]) == {1}
    assert table["low"].null_count() == table["high"].null_count() == table.height  # two tasks hold no 95 %
    at = ordering.point_index(GRID.points(), CHOICE)
    agreement = ordering.agreement_table(GRID.points(), found, {}, at)
    assert agreement.select("teams", "kendall", "spearman", "pairs_compared", "flips").unique().rows() == [
        (2, None, None, 0, 0)
    ]
    assert ordering.flips_table(GRID.points(), found, at, 10, "s").is_empty()


def test_agreement_is_scipy_s() -> None:
    rng = stream("agreement")
    means = [rng.permutation(6).tolist() for _ in range(7)] + [[1, 1, 2, 2, 3, 0]]
    found = ordering.standings(swept(means), games("abcxyz", 6), HOW)
    at = ordering.point_index(GRID.points(), CHOICE)
    table = ordering.agreement_table(GRID.points(), found, {"styles": ["x", "y", "z", "absent"], "one": ["a"]}, at)
    assert set(table["group"]) == {"all", "styles"}
    for group, places in (("all", slice(0, 6)), ("styles", slice(3, 6))):
        for row, order in zip(table.filter(group=group).iter_rows(named=True), means, strict=True):
            kendall = stats.kendalltau(means[at][places], order[places]).statistic
            spearman = stats.spearmanr(means[at][places], order[places]).statistic
            assert (row["kendall"], row["spearman"]) == pytest.approx((kendall, spearman), abs=1e-7)
            assert row["pairs_compared"] == {"all": 15, "styles": 3}[group]
    assert table.filter(group="all", flips=0)["kendall"].to_list() == [1.0]


def test_every_flip_is_listed_with_tests_of_both_orders() -> None:
    found = ordering.standings(swept([[1, 2, 3], [1, 3, 2], [2, 2, 3]]), games("abx", 6), HOW)
    flips = ordering.flips_table(ordering.with_changes(GRID.points(), CHOICE), found, 0, 100, "flips")
    assert flips.select("changed", "a", "a_simulated", "b", "b_simulated").rows() == [("pairs", "b", False, "x", True)]
    row = flips.row(0, named=True)
    assert (row["difference_at_choice"], row["difference"]) == (-1.0, 1.0)
    assert row["p_at_choice"] == row["p_value"] == 2 / 2**6
    assert ordering.flips_table(ordering.with_changes(GRID.points(), CHOICE), [], 0, 100, "flips").height == 0


def test_a_flip_is_corrected_for_all_pairs_of_teams_at_its_point() -> None:
    """Of the six pairs of four teams two flip, with p = 2 / 2⁶ each at both ends: Holm's p is six times that."""
    found = ordering.standings(swept([[1, 2, 3, 4], [2, 1, 4, 3]]), games("abxy", 6), HOW)
    flips = ordering.flips_table(ordering.with_changes(GRID.points(), CHOICE), found, 0, 100, "flips")
    assert flips.select("a", "b").rows() == [("a", "b"), ("x", "y")]
    assert flips["p_holm"].to_list() == [6 * 2 / 2**6, 6 * 2 / 2**6]


def test_a_flip_needs_both_orders() -> None:
    """At the choice the teams are apart on every task, at the point hardly: the larger p is the flip's."""
    values = swept([[1, 2], [2, 1]], tasks=8)
    values[1, :8] = [5, *[1 - 1e-3] * 7]
    found = ordering.standings(values, games("ab", 8), HOW)
    row = ordering.flips_table(ordering.with_changes(GRID.points(), CHOICE), found, 0, 100, "flips").row(0, named=True)
    assert row["p_at_choice"] == 2 / 2**8 < row["p_value"] == row["p_holm"]


@pytest.mark.parametrize(
    ("means", "tasks", "same"),
    [([1, 2, 3], 8, True), ([2, 1, 3], 8, False), ([2, 1, 3], 4, None), ([3, 3, 3], 4, True)],
)
def test_an_order_is_the_same_without_flips_and_another_by_a_clear_one(
    means: list[float], tasks: int, same: bool | None
) -> None:
    """Four tasks can't make any of three pairs clear: p is 3 · 2 / 2⁴ at least."""
    found = ordering.standings(swept([[1, 2, 3], means], tasks), games("abx", tasks), HOW)
    points = ordering.with_changes(GRID.points(), CHOICE)
    agreement, flips = ordering.agreement_table(points, found, {}, 0), ordering.flips_table(points, found, 0, 100, "f")
    assert ordering.is_same_order(agreement, flips) is same
    assert ordering.is_same_order(agreement.clear(), flips.clear()) is None


def test_a_team_that_tells_nobody_anything_takes_no_place_in_the_order() -> None:
    """It has no VPS over observed pairs, and one of 0 over all: the others' order and pairs are as without it."""
    means = [[1, 2, 3, 4], [2, 1, 4, 3], [1, 2, 4, 3]]
    values, points = swept([[*row, np.nan] for row in means]), ordering.with_changes(GRID.points(), CHOICE)
    values[GRID.points()["pairs"].to_numpy() == "all", -6:] = 0
    groups = {"three": ["a", "b", "z"], "two": ["a", "z"]}
    silent, alone = (
        (
            ordering.agreement_table(points, found, groups, 0),
            ordering.flips_table(points, found, 0, 100, "flips"),
            ordering.means_table(points, found),
        )
        for found in (ordering.standings(v, games(t, 6), HOW) for v, t in ((values, "abxyz"), (swept(means), "abxy")))
    )
    assert silent[0].equals(alone[0]) and silent[0]["group"].unique().sort().to_list() == ["all", "three"]
    assert silent[0].filter(group="all")["pairs_compared"].unique().to_list() == [6]
    assert silent[1].equals(alone[1]) and silent[1].height > 0
    told = silent[2].filter(team="z").group_by("pairs").agg(pl.col("games", "vps").unique()).sort("pairs")
    assert told.rows() == [("all", [6], [0.0]), ("observed", [0], [None])]


def test_the_choice_must_be_a_point_of_the_grid() -> None:
    with pytest.raises(ValueError, match=r"no point of the grid is .*0\.45.*: add the study's choice to robustness"):
        ordering.point_index(GRID.points(), CHOICE | {"prior": 0.45})
