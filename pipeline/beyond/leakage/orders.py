"""Whether orders of teams hold: between measures, between priors, and when messages are read in another order."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import polars as pl

from pipeline.beyond.leakage.gains import Array, additions
from pipeline.beyond.leakage.measure import Tables, mean_over_pairs, read_statements, setting_parts
from pipeline.privacy.beliefs import belief_shift, update_beliefs
from pipeline.privacy.rules import Weighing
from pipeline.statistics.bootstrap import measure_lines, ratio_intervals, weighted_sums
from pipeline.statistics.resampling import Resampling, interval_around, sample_and_draws

DECIMALS = 9  # of a mean: what lies below is rounding, and teams that differ by it are tied
UNDER_PRIOR = ["condition", "setting", "feasible", "filled"]
# From the paper's VPS to bits, one step at a time: each differs from the one before it in one thing.
STEPS = ("vps", "vps_all_pairs", "feasible_bits_per_round", "feasible_bits", "bits")
BESIDE = ("vps_reversed", "vps_cost", "bits_touched", "feasible_bits_touched", "bits_true", "coalition_bits")
PAIRS = (*pairwise(STEPS), *(("vps", b) for b in (*STEPS[2:], *BESIDE)), ("bits", "bits_true"),
         ("bits", "coalition_bits"), ("vps_all_pairs", "bits"), ("vps", "bits_with_figures"))  # fmt: skip
MEASURES = (
    *STEPS,
    *BESIDE,
    "vps_cost_all_pairs",
    "feasible_bits_true",
    "bits_with_figures",
    "bits_true_with_figures",
    "misled_slots",
    "bits_per_round",
    "coalition_pair_bits",
    "best_member_bits",
    "members_bits",
    "to_initiator_bits_per_round",
    "disclosed_bits_per_round",
    "necessary_bits_per_round",
    "floor_bits_per_round",
    "excess_bits_per_round",
    "excess_disclosed_bits_per_round",
)


def kendall(a: Array, b: Array) -> Array:
    """Kendall's tau-b of each row's two orders: rows × teams each. NaN where one of them ties all teams."""
    pairs = np.array(list(combinations(range(a.shape[1]), 2)), dtype=np.int64).reshape(-1, 2)
    signs = [
        np.sign(values[:, pairs[:, 0]] - values[:, pairs[:, 1]]) for values in (a.round(DECIMALS), b.round(DECIMALS))
    ]
    untied = np.sqrt((signs[0] ** 2).sum(axis=1) * (signs[1] ** 2).sum(axis=1))
    agreed = (signs[0] * signs[1]).sum(axis=1)
    return np.asarray(np.divide(agreed, untied, out=np.full(len(a), np.nan), where=untied > 0))


def reversed_pairs(a: Array, b: Array) -> int:
    """The pairs of teams that two lists of means order differently, ties left out."""
    pairs = combinations(range(len(a)), 2)
    return sum((a[i] - a[j]).round(DECIMALS) * (b[i] - b[j]).round(DECIMALS) < 0 for i, j in pairs)


def orders(games: pl.DataFrame, pairs: Sequence[tuple[str, str]], resampling: Resampling) -> pl.DataFrame:
    """One row per condition, setting, group of teams and pair of measures: leaked_orders. games: leaked_games."""
    rows = []
    for (condition, setting), part in games.sort("team", "task_id").group_by(
        "condition", "setting", maintain_order=True
    ):
        simulated = pl.col("simulated")
        groups = {"all": part, "protocols": part.filter(~simulated), "simulated": part.filter(simulated)}
        for group, members in groups.items():
            if members["team"].n_unique() > 1:
                rows += [(condition, setting, group, *row) for row in _compared(members, pairs, resampling)]
    columns = ("condition", "setting", "group", "a", "b")
    floats = dict.fromkeys(("tau", "low", "high"), pl.Float64)
    schema = dict.fromkeys(columns, pl.String) | {"teams": pl.Int64} | floats | {"reversed_pairs": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(pl.col(*floats).fill_nan(None))


def _compared(
    games: pl.DataFrame, pairs: Sequence[tuple[str, str]], resampling: Resampling
) -> Iterator[tuple[str, str, int, float, float, float, int]]:
    """(a, b, teams, tau, low, high, reversed pairs) of each pair of measures."""
    teams, tasks = (games[name].unique().sort().to_list() for name in ("team", "task_id"))
    times = sample_and_draws(tasks, resampling)
    means = {name: _means_by_draw(games, name, teams, tasks, times) for pair in pairs for name in pair}
    for a, b in pairs:
        tau, *drawn = kendall(means[a], means[b])
        low, high = interval_around(tau, np.array([t for t in drawn if np.isfinite(t)]), resampling.level)
        yield a, b, len(teams), float(tau), low, high, reversed_pairs(means[a][0], means[b][0])


def _means_by_draw(games: pl.DataFrame, name: str, teams: Sequence[str], tasks: Sequence[str], times: Array) -> Array:
    """The teams' means, first over all tasks, then in each draw: 1 + draws × teams; 0 where a team has no value."""
    values, counts = np.zeros((len(teams), len(tasks))), np.zeros((len(teams), len(tasks)))
    rows, columns = ({key: i for i, key in enumerate(keys)} for keys in (teams, tasks))
    for team, task, value in games.select("team", "task_id", pl.col(name)).drop_nulls().iter_rows():
        values[rows[team], columns[task]] += value
        counts[rows[team], columns[task]] += 1
    total, number = weighted_sums(values, times), weighted_sums(counts, times)
    return np.asarray(np.divide(total, number, out=np.zeros_like(total), where=number > 0).T)


def by_prior(tables: Tables, vps: pl.DataFrame, settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per team, setting, condition and prior of `settings["sensitivity"]`, the stated one among them:
    leaked_priors.

    vps: game_id, vps.
    """
    rows = []
    for part, prior in setting_parts(tables, settings):
        _, statements, likelihoods = read_statements(part, prior)
        weights = _cost_shares(prior.probability, prior.states.costs)
        for feasible in settings["sensitivity"]["feasible"]:
            for filled in settings["sensitivity"]["filled"]:
                other = prior._replace(probability=prior.states.prior(feasible, filled, weights))
                added = additions(statements, likelihoods, other, settings["least"])
                means = _mean_bits(added, part["games"])
                rows.append(means.with_columns(feasible=pl.lit(float(feasible)), filled=pl.lit(float(filled))))
    by = ["condition", "setting", "team"]
    of_teams = tables["games"].join(vps, on="game_id").group_by(by).agg(pl.col("vps").sort().mean())
    beside = pl.concat(rows).join(of_teams, on=by, how="left", maintain_order="left")
    return _with_tau(beside, float(settings["feasible"]), float(settings["filled"]))


def _cost_shares(probability: Array, costs: tuple[int, ...]) -> dict[int, float]:
    """How an errand's cost is distributed under a prior."""
    return dict(zip(costs, probability[1:-1].tolist(), strict=True))


def _mean_bits(added: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    """One row per condition, setting and team: its games' mean bits."""
    rows = games.join(mean_over_pairs(added, games, ["bits"]), on="game_id").sort("game_id")
    lists = rows.group_by("condition", "setting", "team", maintain_order=True).agg("bits")
    return lists.with_columns(pl.col("bits").list.mean()).sort("condition", "setting", "team")


def _with_tau(rows: pl.DataFrame, feasible: float, filled: float) -> pl.DataFrame:
    """The rows with `tau` and `tau_vps`: how far each prior orders teams as the stated one does, and as VPS does."""
    stated = rows.filter(feasible=feasible, filled=filled).select("condition", "setting", "team", stated="bits")
    beside = rows.join(stated, on=["condition", "setting", "team"], how="left", maintain_order="left")
    measures = {"tau": "stated", "tau_vps": "vps"}
    parts = [beside.head(0).with_columns(pl.lit(None, pl.Float64).alias(name) for name in measures)]
    for _, part in beside.group_by(UNDER_PRIOR, maintain_order=True):
        orders = {n: kendall(*(part[m].to_numpy()[None] for m in ("bits", of)))[0] for n, of in measures.items()}
        parts.append(part.with_columns(pl.lit(tau, pl.Float64).fill_nan(None).alias(n) for n, tau in orders.items()))
    return pl.concat(parts).drop("stated", "vps")


def team_means(games: pl.DataFrame, measures: Sequence[str], resampling: Resampling) -> pl.DataFrame:
    """One row per condition, setting, team and measure: leaked_teams. games: leaked_games."""
    by = ["condition", "setting", "team"]
    return ratio_intervals(measure_lines(games, [*by, "task_id"], measures), [*by, "measure"], resampling)


def vps_reversed(evidence: pl.DataFrame, weighing: Weighing) -> pl.DataFrame:
    """One row per game with an update: `vps_reversed`, VPS by Eq. 1 under uniform weights, updates backwards.

    evidence: belief_evidence.
    """
    pair = ["game_id", "round", "target_agent", "observer_agent"]
    names = ("target_agent", "observer_agent", "slot", "evidence", "strength", "in_calendar")
    backwards = evidence.select("game_id", "round", "event_index", "update_index", *names).sort(
        "game_id", "round", pl.col("event_index"), "update_index", descending=[False, False, True, True]
    )
    held = update_beliefs(backwards, weighing).filter("in_calendar")
    last = held.unique([*pair, "slot"], keep="last", maintain_order=True).sort(*pair, "slot")
    losses = last.with_columns(loss=belief_shift(pl.col("belief_after"), weighing.prior))
    pairs = losses.group_by(pair, maintain_order=True).agg("loss").with_columns(pl.col("loss").list.sum())
    games = pairs.group_by("game_id", maintain_order=True).agg("loss")
    return games.select("game_id", vps_reversed=pl.col("loss").list.mean())
