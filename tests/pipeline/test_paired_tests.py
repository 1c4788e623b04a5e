"""Paired tests, Holm's correction and rank intervals against enumeration and figures worked by hand."""

from itertools import combinations, product
from math import fsum

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.statistics.paired_tests import could_differ, holm, paired_permutation, pairwise, rank_intervals
from pipeline.statistics.resampling import stream


def test_a_name_is_a_stream_of_its_own() -> None:
    first = stream("bootstrap", "table_1").integers(0, 1000, 4).tolist()
    assert first == stream("bootstrap", "table_1").integers(0, 1000, 4).tolist() == [317, 524, 549, 556]
    assert first != stream("bootstrap", "table_2").integers(0, 1000, 4).tolist()
    assert stream("a", "bc").random() != stream("ab", "c").random()


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_a_small_paired_test_is_the_enumeration(differences: list[int]) -> None:
    flips = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True)))
        for signs in product((-1, 1), repeat=len(differences))
    ]
    expected = np.mean([flip >= abs(sum(differences)) for flip in flips])
    for unit in (1, 10):  # in tenths, sums that are equal differ by rounding
        found = paired_permutation([d / unit for d in differences], [0.0] * len(differences))
        assert found.p_value == pytest.approx(expected)
        assert found.exact
        assert found.difference == pytest.approx(np.mean(differences) / unit)


def test_pairs_with_a_gap_are_left_out_and_equal_pairs_carry_nothing() -> None:
    found = paired_permutation([1, 2, 3, None, 5, 7], [0, 0, 0, 0, None, 7])
    assert (found.pairs, found.p_value, found.difference, found.exact) == (4, 0.25, 1.5, True)
    assert paired_permutation([None], [1.0]) == paired_permutation([], [])
    assert paired_permutation([], []).p_value == 1


def test_many_pairs_are_drawn_by_name_and_come_close_to_the_exact_value() -> None:
    a = (stream("pairs").standard_normal(15) + 0.45).tolist()
    signs = np.array(list(product((-1, 1), repeat=15)))
    exact = float(np.mean(np.abs(signs @ np.array(a)) >= abs(sum(a)) - 1e-12))
    found = paired_permutation(a, [0.0] * 15)
    assert not found.exact
    assert 0.02 < exact < 0.4
    assert found.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 10_000))
    assert found == paired_permutation(a, [0.0] * 15)
    assert found.p_value == paired_permutation([0.0] * 15, a).p_value
    assert found != paired_permutation(a, [0.0] * 15, names=("another",))
    assert paired_permutation([1.0] * 40, [0.0] * 40).p_value == 1 / 10_001  # never 0: the observed signs count


HOLM = {
    "rising": ([0.01, 0.02, 0.04], [0.03, 0.04, 0.04]),
    "any order": ([0.04, 0.01, 0.02], [0.04, 0.03, 0.04]),
    "ties": ([0.02, 0.02], [0.04, 0.04]),
    "none": ([], []),
}


@pytest.mark.parametrize("case", HOLM)
def test_holm_by_hand(case: str) -> None:
    given_p, adjusted = HOLM[case]
    assert holm(given_p) == pytest.approx(adjusted)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_is_the_closure_of_bonferroni(p_values: list[float]) -> None:
    places = range(len(p_values))
    sets = [s for size in range(1, len(p_values) + 1) for s in combinations(places, size)]
    closed = [max(min(1.0, len(s) * min(p_values[j] for j in s)) for s in sets if i in s) for i in places]
    assert holm(p_values) == pytest.approx(closed)


def scores(**teams: list[float | None]) -> pl.DataFrame:
    """One row a team and task."""
    rows = [(team, f"t{i}", value) for team, values in teams.items() for i, value in enumerate(values)]
    return pl.DataFrame(rows, schema={"team": pl.String, "task_id": pl.String, "cost": pl.Float64}, orient="row")


LEAGUE = scores(
    low=[float(i % 3) for i in range(12)],
    also_low=[float((i + 1) % 3) for i in range(12)],
    middle=[10.0 + i % 3 for i in range(12)],
    high=[20.0 + i % 3 for i in range(12)],
)


def ranked(frame: pl.DataFrame, higher: bool = False) -> pl.DataFrame:
    """The rank intervals of a frame of scores."""
    return rank_intervals(frame, pairwise(frame, value="cost"), value="cost", higher_is_better=higher)


def test_rank_intervals_of_a_league() -> None:
    ranks = ranked(LEAGUE)
    assert ranks.columns == ["team", "mean", "tasks", "rank", "rank_low", "rank_high", "teams"]
    assert ranks.drop("mean", "teams").rows() == [
        ("also_low", 12, 1, 1, 2),
        ("low", 12, 1, 1, 2),
        ("middle", 12, 3, 3, 3),
        ("high", 12, 4, 4, 4),
    ]
    assert ranks["mean"].to_list() == [1, 1, 11, 21]
    assert ranks["teams"].to_list() == [4] * 4


def test_a_rank_is_among_teams_that_share_tasks_and_on_those_tasks() -> None:
    """The easy tasks of `few` make its mean the lowest, not its rank; `apart` played others."""
    frame = scores(all=[1.0, 5, 9], few=[2.0, None, None], apart=[None, None, None, 0.0])
    assert ranked(frame).select("team", "mean", "rank", "rank_low", "rank_high", "teams").rows() == [
        ("all", 5.0, 1, 1, 2, 2),
        ("apart", 0.0, 1, 1, 1, 1),
        ("few", 2.0, 2, 1, 2, 2),
    ]


@pytest.mark.parametrize(
    ("teams", "tasks", "could"), [("ab", 5, False), ("ab", 6, True), ("abcd", 6, False), ("abcd", 8, True)]
)
def test_so_few_tasks_tell_no_team_from_all_others(teams: str, tasks: int, could: bool) -> None:
    rows = [(team, f"t{task}", float(10 * cost)) for cost, team in enumerate(teams) for task in range(tasks)]
    tests = pairwise(pl.DataFrame(rows, schema=["team", "task_id", "excess_cost"], orient="row"))
    assert could_differ(tests, "a") is could
    assert tests.filter(a="a").select((pl.col("p_holm") <= 0.05).all()).item() is could


def test_pairs_are_tested_on_common_tasks_and_corrected_together() -> None:
    frame = scores(a=[1.0, 2, 3, None, 9], b=[0.0, 1, 2, 5, None], c=[None, None, None, 7, 7])
    pairs = pairwise(frame, value="cost")
    assert pairs.select("a", "b", "pairs", "difference", "p_value").rows() == [
        ("a", "b", 3, 1.0, 0.25),
        ("a", "c", 1, 2.0, 1.0),
        ("b", "c", 1, -2.0, 1.0),
    ]
    assert pairs["p_holm"].to_list() == [0.75, 1.0, 1.0]


def test_repeats_of_a_task_count_once() -> None:
    doubled = pl.concat([LEAGUE, LEAGUE.with_columns(pl.col("cost") + 2)])
    assert pairwise(doubled, value="cost").equals(pairwise(LEAGUE, value="cost"))


def test_what_differs_by_rounding_alone_shares_a_rank() -> None:
    rows = [("a", "t", 49.544), ("b", "t", 49.544), ("b", "t", 49.544), ("b", "t", 49.544)]
    frame = pl.DataFrame(rows, schema=["team", "task_id", "excess_cost"], orient="row")
    assert fsum([49.544] * 3) / 3 != 49.544
    pairs = pairwise(frame)
    assert pairs["difference"].to_list() == [0.0]
    assert rank_intervals(frame, pairs)["rank"].to_list() == [1, 1]


def test_a_team_without_values_is_listed_last_and_has_no_rank() -> None:
    ranks = ranked(pl.concat([LEAGUE, scores(absent=[None, None])]))
    assert ranks.row(4) == ("absent", None, 0, None, None, None, 1)
    assert ranked(scores(alone=[1.0, 2.0])).row(0)[2:] == (2, 1, 1, 1, 1)


def test_ranks_do_not_depend_on_row_order_or_on_the_other_teams_draws() -> None:
    rng = stream("teams")
    frame = scores(**{name: (rng.standard_normal(36) + i / 3).tolist() for i, name in enumerate("abcde")})
    shuffled = frame.sample(fraction=1, shuffle=True, seed=1)
    assert ranked(frame).equals(ranked(shuffled))
    alone = pairwise(frame.filter(pl.col("team").is_in(["a", "b"])), value="cost")
    assert alone["p_value"].to_list() == pairwise(frame, value="cost").filter(a="a", b="b")["p_value"].to_list()
