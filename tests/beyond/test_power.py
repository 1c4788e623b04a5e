"""How many games are enough: components, powers and sub-suites against what can be worked out or tried in full."""

from dataclasses import replace
from itertools import combinations
from math import sqrt
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.beyond import power
from pipeline.beyond.power import (
    Aim,
    MissingGames,
    Scores,
    aligned,
    components,
    detectable,
    difference_variance,
    game_prices,
    integrated_power,
    pair,
    pair_rows,
    power_of,
    power_rows,
    read_estimate,
    scores,
    simulated_power,
    stacked,
    standard_games,
    tasks_needed,
)
from pipeline.beyond.subsuites import (
    agreements,
    new_games,
    ranking,
    smallest_subsuite,
    strict_pairs,
    subsuite_row,
)
from pipeline.statistics.resampling import Array, stream

TEST = Aim(alpha=0.05, power=0.8, most=10_000)
DRAWN = replace(TEST, draws=1500)


def drawn(seed: str, team: float, task: float, both: float, repeat: float, shape: tuple[int, int, int]) -> Array:
    """Teams × tasks × repeats of known standard deviations."""
    rng, (teams, tasks, _) = stream("enough", seed), shape
    return np.asarray(
        team * rng.standard_normal((teams, 1, 1))
        + task * rng.standard_normal((1, tasks, 1))
        + both * rng.standard_normal((teams, tasks, 1))
        + repeat * rng.standard_normal(shape)
    )


def test_the_components_of_a_table_worked_out_by_hand() -> None:
    # Two teams, two tasks, two games: cells (1, 3), (5, 5), (2, 2), (10, 8).
    found = components(np.array([[[1, 3], [5, 5]], [[2, 2], [10, 8]]], dtype=float))
    # Means 2, 5, 2, 9: MS team 8, task 50, both 8; within 4 / 4.
    assert (found.repeat, found.interaction, found.team, found.task) == (1, 3.5, 0, 10.5)


def test_components_are_found_again_in_a_large_table() -> None:
    found = components(drawn("large", 1, 2, 3, 4, (60, 300, 3)))
    assert [found.task, found.interaction, found.repeat] == pytest.approx([4, 9, 16], rel=0.2)
    assert found.team == pytest.approx(1, rel=0.5)


def test_with_one_game_a_task_nothing_is_called_repeat() -> None:
    found = components(drawn("once", 1, 2, 3, 0, (4, 40, 1)))
    assert found.repeat == 0
    assert difference_variance(found, 1) == difference_variance(found, 8) == 2 * found.interaction


def test_pairs_of_teams_average_to_the_groups_difference() -> None:
    values = drawn("pairs", 1, 2, 3, 4, (5, 30, 3))
    pairs = [pair(values[a], values[b]) for a, b in combinations(range(5), 2)]
    found = components(values)
    for repeats in (1, 3):
        mean = sum(p.variance(repeats) for p in pairs) / len(pairs)
        assert mean == pytest.approx(difference_variance(found, repeats))


@pytest.mark.parametrize(("difference", "tasks"), [(0.5, 34), (1.0, 10), (0.2, 199), (3.0, 4)])
def test_the_tasks_needed_are_those_of_the_textbook(difference: float, tasks: int) -> None:
    # Sample sizes of a two-sided paired t test, α = 0.05, power 0.8, for d = 0.5, 1, 0.2 and 3 (Cohen 1988).
    assert tasks_needed(difference, 1.0, TEST) == tasks
    assert power_of(difference, 1.0, tasks, 0.05) >= 0.8 > power_of(difference, 1.0, tasks - 1, 0.05)


@pytest.mark.parametrize(("tasks", "shift"), [(3, 2.0), (12, 3.0), (36, 1.0)])
def test_the_integral_agrees_with_the_librarys_distribution(tasks: int, shift: float) -> None:
    from scipy.stats import t

    bound = float(t.ppf(0.975, tasks - 1))
    assert integrated_power(bound, tasks - 1, shift) == pytest.approx(
        power_of(shift / sqrt(tasks), 1, tasks, 0.05), abs=1e-6
    )


def test_a_difference_without_spread_needs_two_tasks_and_one_that_nobody_would_look_for_has_none() -> None:
    assert tasks_needed(0.1, 0, TEST) == 2
    assert tasks_needed(0.001, 1, TEST) is None


def test_simulated_power_is_the_formulas_where_differences_are_normal() -> None:
    values = drawn("normal", 0, 1, 1, 1, (2, 4000, 3))
    for repeats in (1, 3):
        deviation = sqrt(2 * (1 + 1 / repeats))
        tasks = tasks_needed(0.7, deviation, TEST)
        assert tasks is not None
        found = simulated_power(values[0], values[1], tasks, repeats, DRAWN, ("test",), to=0.7)
        assert found == pytest.approx(0.8, abs=0.04)


MATRIX = st.lists(st.lists(st.integers(-3, 3), min_size=5, max_size=5), min_size=2, max_size=4)


@given(rows=MATRIX)
@settings(max_examples=25)
def test_the_smallest_sub_suite_is_the_first_of_all_that_keep_the_ranking(rows: list[list[int]]) -> None:
    values = {str(i): np.array(row, dtype=float) for i, row in enumerate(rows)}
    pairs = strict_pairs({team: float(v.mean()) for team, v in values.items()})
    every = [s for size in range(1, 6) for s in combinations(range(5), size)]
    keeping = [s for s in every if all(values[a][list(s)].sum() < values[b][list(s)].sum() for a, b in pairs)]
    assert smallest_subsuite([values], 60) == list(keeping[0])


def test_teams_that_tie_are_ranked_together_and_half_right_where_they_should_not() -> None:
    assert ranking({"a": 1.0, "b": 0.5, "c": 0.5}) == [["b", "c"], ["a"]]
    values = {"a": np.array([1.0, 2.0]), "b": np.array([1.0, 3.0])}
    assert agreements(values, [[0], [1]], [("a", "b")]).tolist() == [0.5, 1.0]


def three_teams(noise: float) -> Scores:
    rng = stream("three teams")
    values = {name: i + noise * rng.standard_normal((8, 2)) for i, name in enumerate("abc")}
    return Scores("uniform", "vps", tuple("12345678"), values)


def test_a_sub_suite_is_right_where_it_was_chosen_and_checked_elsewhere() -> None:
    row = subsuite_row([three_teams(0.0)], draws=5, seconds=60)
    assert row["size"] == 1
    assert {row[k] for k in row if k not in ("size", "tasks")} == {1.0}
    noisy = subsuite_row([three_teams(2.0)], draws=50, seconds=60)
    assert noisy["same"] == 1.0
    assert noisy["left_out_random"] < 1


def test_the_rows_of_powers_and_pairs() -> None:
    own, test = three_teams(0.5), replace(TEST, draws=50, most_simulated=100)
    rows = list(power_rows(own, "styles", [0.5, 2.0], [1, 2, 6], test))
    assert [(r["repeats"], r["difference"]) for r in rows] == [(n, d) for n in (1, 2, 6) for d in (0.5, 2.0)]
    assert all((r["simulated_power"] is None) == (r["repeats"] > 2) for r in rows)
    found = {(r["a"], r["b"]): r for r in pair_rows(own, 2, test)}
    assert list(found) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert found["a", "c"]["tasks"] <= found["a", "b"]["tasks"]
    assert found["a", "c"]["detectable"] < abs(found["a", "c"]["difference"]) and found["a", "c"]["p"] < 0.01


def test_a_suite_finds_what_it_can_detect_with_the_power_that_is_asked_for() -> None:
    for deviation, tasks in ((1.0, 36), (20.0, 5)):
        assert power_of(detectable(deviation, tasks, TEST), deviation, tasks, TEST.alpha) == pytest.approx(TEST.power)


def test_beside_a_group_s_tasks_stand_those_of_its_own_pairs() -> None:
    own = three_teams(0.5)
    (row,) = power_rows(own, "styles", [0.5], [1], TEST)
    alone = [tasks_needed(0.5, pair(own.values[a], own.values[b]).variance(1) ** 0.5, TEST) for a, b in own.pairs]
    assert (row["least_tasks"], row["most_tasks"]) == (min(alone), max(alone))


def test_measures_are_aligned_on_the_tasks_that_all_have() -> None:
    one = Scores("uniform", "vps", ("t1", "t2"), {"a": np.array([[1.0], [2.0]])})
    other = Scores("uniform", "excess_cost", ("t2", "t3"), {"a": np.array([[3.0], [4.0]])})
    assert [(s.tasks, s.values["a"].tolist()) for s in aligned([one, other])] == [
        (("t2",), [[2.0]]),
        (("t2",), [[3.0]]),
    ]


def test_scores_are_tasks_by_repeats_and_a_task_without_a_value_is_left_out() -> None:
    rows = [("a", "uniform", t, r, "standard", False, f"a{t}{r}", 10 * t + r) for t in (1, 2, 3) for r in (0, 1)]
    rows += [("b", "uniform", t, 0, "standard", False, f"b{t}", t) for t in (1, 2, 3)]
    names = ["team", "setting", "task_id", "repeat", "condition", "stopped", "game_id", "excess_cost"]
    games = pl.DataFrame(rows, schema=names, orient="row").with_columns(
        dms_per_meeting=pl.when(pl.col("game_id") != "b2").then(1.0), task_id=pl.col("task_id").cast(pl.String)
    )
    summary = games.select("game_id", weight_mode=pl.lit("uniform"), vps_loss_mean=pl.lit(0.5))
    known = standard_games(games, summary)
    assert scores(known, "uniform", "excess_cost").values["a"].tolist() == [[10, 11], [20, 21], [30, 31]]
    assert scores(known, "uniform", "dms_per_meeting").tasks == ("1", "3")
    assert stacked(scores(known, "uniform", "vps")).shape == (2, 3, 1)
    with pytest.raises(MissingGames, match="team a has 5 uniform games with excess_cost, not 6: 2 of each of 3 tasks"):
        scores(known.filter(~((pl.col("team") == "a") & (pl.col("excess_cost") == 31))), "uniform", "excess_cost")


def test_missing_games_are_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "estimate.txt").write_text(PRINTED)
    params = power.beyond.params("enough") | {"estimate": str(tmp_path / "estimate.txt")}
    monkeypatch.setattr(power.beyond, "params", lambda _: params)
    rows = [("a", "uniform", "t1", 0), ("a", "uniform", "t1", 1), ("a", "uniform", "t2", 0)]
    games = pl.DataFrame(rows, schema=["team", "setting", "task_id", "repeat"], orient="row")
    games = games.with_columns(pl.lit(1.0).alias(column) for column in power.MEASURES.values())
    monkeypatch.setattr(power, "games_of", lambda *_: games)
    with pytest.raises(SystemExit, match=r"^error: team a has 3 uniform games.* docs/beyond/enough\.md says how$"):
        power.main()


PRINTED = """72 games to play, 72 of them with language models
openai/x: 72 games, about 720 calls (at most 900), 7200000 tokens in, 72000 out, price unknown
estimated by playing up to 12 games
"""


def test_a_games_price_is_its_estimated_tokens_at_the_listed_prices() -> None:
    found = read_estimate(PRINTED)
    assert (found.input_tokens, found.output_tokens) == (100_000, 1000)
    listed = [("p/m", 2.0, None, 10.0, "then"), ("p/unknown", None, None, None, "then")]
    prices = pl.DataFrame(listed, schema=["model", "input", "cached_input", "output", "dated"], orient="row")
    prices = prices.with_columns(pl.col("cached_input").cast(pl.Float64))
    assert game_prices(found, prices).select("model", "usd").rows() == [("p/m", pytest.approx(0.21))]


def test_two_teams_that_play_the_same_way_each_time_have_no_new_games() -> None:
    same = {name: np.array([[1.0], [float(i)]]) for i, name in enumerate("xy")}
    anew = np.array([[0.5, 0.5, 9.0], [0.5, 0.5, 9.0]])
    alike = Scores("uniform", "vps", ("t1", "t2"), same)
    assert new_games([alike], [[0], [1]]) is None
    # All tasks and games have x and y below z; in the second game z is level with x and below y.
    mixed = Scores("uniform", "vps", ("t1", "t2"), same | {"z": anew})
    assert new_games([mixed], [[0, 1]]) == pytest.approx((0.5 + 0.0 + 1.0 + 1.0) / 4)


def test_what_has_nothing_to_tell_apart_has_no_rows() -> None:
    own = three_teams(1.0)
    assert own.of(["a", "nobody"]).values.keys() == {"a"}
    assert (own.comparable, own.of(["a"]).comparable, own.of([]).comparable) == (True, False, False)
    assert subsuite_row([own.of(["a", "b"])], draws=5, seconds=60)["left_out_chosen"] is not None
