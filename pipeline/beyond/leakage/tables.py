"""The tables of leakage in bits: by game and team, and whether orders of teams hold between measures, between priors,
and when messages are read in another order.

`python -m pipeline.beyond.leakage.tables [TABLES OUT]` makes them, of the study's tables where no other are named.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from pipeline import beyond
from pipeline.beyond.leakage.gains import additions
from pipeline.beyond.leakage.measure import (
    Tables,
    by_game,
    leakage,
    mean_over_pairs,
    read_statements,
    read_tables,
    setting_parts,
    with_figures,
)
from pipeline.beyond.tables import DECIMALS, declare, write
from pipeline.privacy.beliefs import belief_shift, update_beliefs
from pipeline.privacy.rules import Weighing
from pipeline.statistics.bootstrap import measure_lines, ratio_intervals, weighted_sums
from pipeline.statistics.by_game import ended
from pipeline.statistics.resampling import Array, Resampling, interval_around, sample_and_draws
from pipeline.tables import paths
from pipeline.tables.io import read_table
from pipeline.tables.paths import no_tables

TABLES = declare(
    """
    leaked_bits (game_id, round, observer_agent, target_agent): one round, observer and target, where the observer was
        told something of the target's slots
    game_id: str the game, a UUID
    round: int the round, from 0
    observer_agent: int the agent that was told
    target_agent: int the agent whose calendar it is about
    statements: int distinct statements of the round
    bits: float [bits] the round alone: realised information gain about the target's slots
    feasible_bits: float [bits] the round alone: the same of feasibility alone
    bits_true: float [bits] the round alone: log2(posterior / prior) of the true states: below 0 where the observer is
        misled
    feasible_bits_true: float [bits] the round alone: the same of feasibility alone
    misled: float [slots] the round alone: slots whose true state was said to be impossible
    new_bits: float [bits] what the round adds to all before: realised information gain about the target's slots
    new_feasible_bits: float [bits] what the round adds to all before: the same of feasibility alone
    new_bits_true: float [bits] what the round adds to all before: log2(posterior / prior) of the true states: below 0
        where the observer is misled
    new_feasible_bits_true: float [bits] what the round adds to all before: the same of feasibility alone
    new_misled: float [slots] what the round adds to all before: slots whose true state was said to be impossible
    total_bits: float [bits] all rounds so far: realised information gain about the target's slots
    total_feasible_bits: float [bits] all rounds so far: the same of feasibility alone
    total_bits_true: float [bits] all rounds so far: log2(posterior / prior) of the true states: below 0 where the
        observer is misled
    total_feasible_bits_true: float [bits] all rounds so far: the same of feasibility alone
    total_misled: float [slots] all rounds so far: slots whose true state was said to be impossible

    leaked_coalitions (game_id, coalition, target_agent): one game, coalition of observers and target, where a member
        was told something of the target's slots
    game_id
    coalition: str its members, joined by +
    target_agent
    members: int how many they are
    everybody: bool whether they are all agents but the target
    statements: int distinct statements that they were told in the game
    bits: float [bits] what they know together at the end: realised information gain about the target's slots
    feasible_bits: float [bits] what they know together at the end: the same of feasibility alone
    bits_true: float [bits] what they know together at the end: log2(posterior / prior) of the true states: below 0
        where the observer is misled
    feasible_bits_true: float [bits] what they know together at the end: the same of feasibility alone
    misled: float [slots] what they know together at the end: slots whose true state was said to be impossible
    best_member_bits: float [bits] bits of the member that knows most alone
    members_bits: float [bits] sum of what each member knows alone

    leaked_rounds (game_id, round): one round
    game_id, round
    initiator: int the participant with the lowest id, to whom slots are certified
    certifiable: bool whether the meeting got a common slot that was feasible for all when the round began
    necessary_bits: float [bits] least facts of single slots that certify it as least-cost, or its true regret
    necessary_feasible_bits: float [bits] least facts that certify it as feasible
    floor_bits: float [bits] −log2 P(the slot is least-cost, or its true regret | the initiator's calendar)
    regret: float [cost] what the slot costs above the cheapest
    certified: bool whether the round's messages make the initiator sure that the slot is least-cost
    certified_feasible: bool whether they make it sure that the slot is feasible
    to_initiator_bits: float [bits] told to the initiator about the other participants
    disclosed_bits: float [bits] told in the round over all ordered pairs
    excess_bits: float [bits] to_initiator_bits − necessary_bits
    excess_disclosed_bits: float [bits] disclosed_bits − necessary_bits

    leaked_games (game_id): one game
    game_id
    team: str who played
    simulated: bool whether its speakers are simulated
    setting: str uniform or varied errand costs
    condition: str standard, blocked or adversarial
    task_id: str the task
    bits: float [bits] gain by the end of the game, mean over all ordered pairs
    feasible_bits: float [bits] the same of feasibility alone
    bits_true: float [bits] log2(posterior / prior) of the true states, mean over all ordered pairs
    feasible_bits_true: float [bits] the same of feasibility alone
    bits_with_figures: float [bits] bits, had costs that English names in figures been believed
    bits_true_with_figures: float [bits] bits_true, had they been
    misled_slots: float [slots] slots, over all pairs, whose true state was said to be impossible
    bits_per_round: float [bits] gain of each round alone, mean over all ordered pairs and rounds
    feasible_bits_per_round: float [bits] the same of feasibility alone
    bits_touched: float [bits] gain of each round alone, mean over pairs and rounds with a statement
    feasible_bits_touched: float [bits] the same of feasibility alone
    touched_pair_rounds: int ordered pairs and rounds with a statement
    coalition_pair_bits: float [bits] what two observers know together, mean over targets and pairs
    coalition_bits: float [bits] what all other agents know together, mean over targets
    best_member_bits: float [bits] what the best single observer knows, mean over targets
    members_bits: float [bits] sum of what all other agents know one by one, mean over targets
    certifiable_rounds: int rounds whose slot can be certified
    certified_rounds: int rounds whose messages certify it as least-cost
    to_initiator_bits_per_round: float [bits] to_initiator_bits of leaked_rounds, mean over certifiable rounds
    disclosed_bits_per_round: float [bits] disclosed_bits of leaked_rounds, mean over certifiable rounds
    necessary_bits_per_round: float [bits] necessary_bits of leaked_rounds, mean over certifiable rounds
    floor_bits_per_round: float [bits] floor_bits of leaked_rounds, mean over certifiable rounds
    excess_bits_per_round: float [bits] excess_bits of leaked_rounds, mean over certifiable rounds
    excess_disclosed_bits_per_round: float [bits] excess_disclosed_bits of leaked_rounds, mean over certifiable rounds
    vps: float [VPS] VPS under uniform weights, mean over pairs and rounds with an update
    vps_reversed: float [VPS] the same, had each round's messages come in the opposite order
    vps_all_pairs: float [VPS] VPS under uniform weights, mean over all ordered pairs and rounds
    vps_cost: float [VPS] VPS under cost weights, mean over pairs and rounds with an update
    vps_cost_all_pairs: float [VPS] the same, mean over all ordered pairs and rounds

    leaked_teams (condition, setting, team, measure): one team, setting, condition and measure of leaked_games
    team, setting, condition
    measure: str the column of leaked_games
    mean: float mean over its games
    low: float lower end of its 95 % interval, tasks drawn anew
    high: float upper end
    games: int games that have a value
    tasks: int tasks that have one

    leaked_orders (condition, setting, group, a, b): one setting, condition, group of teams and two measures of
        leaked_games
    setting, condition
    group: str all teams, protocols or simulated speakers
    a: str a measure
    b: str another
    teams: int teams that are ordered
    tau: float Kendall's tau-b of the teams' means
    low, high
    reversed_pairs: int pairs of teams that the two order differently

    leaked_priors (condition, setting, feasible, filled, team): one team, setting, condition and prior
    team, setting, condition
    feasible: float P(feasible) of a slot beforehand
    filled: float share of feasible slots with an errand
    bits: float [bits] gain by the end of the game, mean over pairs and games
    tau: float Kendall's tau-b of all teams' means with those under the stated prior
    tau_vps: float Kendall's tau-b of all teams' means with their VPS (its own prior is 0.5 throughout)
    """
)


UNDER_PRIOR = ["condition", "setting", "feasible", "filled"]
# From the paper's VPS to bits, one step at a time: each differs from the one before it in one thing.
STEPS = ("vps", "vps_all_pairs", "feasible_bits_per_round", "feasible_bits", "bits")
BESIDE = ("vps_reversed", "vps_cost", "bits_touched", "feasible_bits_touched", "bits_true", "coalition_bits")
PAIRS = (*pairwise(STEPS), *(("vps", b) for b in (*STEPS[2:], *BESIDE)), ("bits", "bits_true"),
         ("bits", "coalition_bits"), ("vps_all_pairs", "bits"), ("vps", "bits_with_figures"))  # fmt: skip
MEASURES = tuple(column.name for column in TABLES["leaked_games"].columns if column.dtype == "float")


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


def main(tables: Path = paths.TABLES, out: Path = beyond.TABLES) -> None:
    """Write leakage in bits of a folder of derived tables. Exits with a line where it holds none."""
    if absent := no_tables(tables):
        sys.exit(f"error: {absent}")
    settings = beyond.params("leakage")
    resampling = Resampling(**settings["intervals"])
    read = read_tables(tables)
    leaked = leakage(read, settings)
    games = by_game(leaked, read["games"])
    vps = _vps(tables, read["belief_evidence"])
    for measures in (vps, with_figures(read, settings)):
        games = games.join(measures, on="game_id", how="left", maintain_order="left")
    whole_games = ended(read["games"])  # what was broken off is no sample of what a team leaks
    compared = games.drop("task_id").join(whole_games.select("game_id", "task_id"), on="game_id", maintain_order="left")
    frames = {
        "leaked_bits": leaked.pairs,
        "leaked_coalitions": leaked.coalitions,
        "leaked_rounds": leaked.rounds,
        "leaked_games": games,
        "leaked_teams": team_means(compared, MEASURES, resampling),
        "leaked_orders": orders(compared, PAIRS, resampling),
        "leaked_priors": by_prior(read | {"games": whole_games}, vps.select("game_id", "vps"), settings),
    }
    write(frames, TABLES, out, rounded=True)


def _vps(tables: Path, evidence: pl.DataFrame) -> pl.DataFrame:
    """One row a game: its VPS, over touched pairs as in the paper and over all, under both weights, and backwards."""
    summary = read_table(tables, "game_summary")
    names = {"uniform": ("vps", "vps_all_pairs"), "cost": ("vps_cost", "vps_cost_all_pairs")}
    columns = [
        summary.filter(weight_mode=mode).select(
            "game_id", pl.col("vps_loss_mean").alias(touched), pl.col("all_pairs_vps_loss_mean").alias(every)
        )
        for mode, (touched, every) in names.items()
    ]
    beliefs = Weighing(prior=paths.params("vps")["prior"])
    return columns[0].join(columns[1], on="game_id").join(vps_reversed(evidence, beliefs), on="game_id", how="left")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
