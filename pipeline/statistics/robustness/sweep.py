"""VPS under other priors, margins, weights, rules and means, without reading a message again; and by each reading of
English, which takes reading them.

A belief at the end of a round is affine in the prior and in ε, as every update b ← (1 − s)·b + s·e is, with e one of ε,
1 − ε and a constant. Three corners (prior, ε) = (0, 0), (1, 0), (0, 1) of the belief update fix it everywhere.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.privacy.beliefs import MODES, belief_shift, final_beliefs, slot_weights, update_beliefs, weigh_updates
from pipeline.privacy.english_release import VALUES
from pipeline.privacy.evidence import privacy_frames
from pipeline.privacy.rules import RULES, RuleSet, Weighing
from pipeline.statistics.by_game import ended
from pipeline.statistics.resampling import Array, Resampling
from pipeline.statistics.robustness import ordering
from pipeline.tables.io import read_table

# What a game's VPS is a mean over: pairs with an update in a round, or all ordered pairs of agents.
PAIRS = {"observed": "pair_rounds", "all": "all_pair_rounds"}
MESSAGE_TABLES = ("rounds", "messages", "calendars")
POINT = ("rules", "prior", "epsilon", "weight_mode", "pairs")


@dataclass(frozen=True)
class Grid:
    """What is swept: names of rule sets, priors and margins; both weight modes and both means always are."""

    rules: Sequence[str]
    priors: Sequence[float]
    epsilons: Sequence[float]

    def points(self) -> pl.DataFrame:
        """One row a point of the grid: the columns of POINT."""
        every = product(self.rules, self.priors, self.epsilons, MODES, PAIRS)
        rows = [(rules, float(prior), float(epsilon), mode, pairs) for rules, prior, epsilon, mode, pairs in every]
        return pl.DataFrame(rows, schema=POINT, orient="row")


@dataclass(frozen=True)
class SweepInputs:
    """The games whose VPS is swept, in the order of their ids, with the evidence and calendars of their rounds."""

    games: pl.DataFrame  # game_id, team, simulated, setting, task_id, pair_rounds, all_pair_rounds
    evidence: pl.DataFrame  # belief_evidence
    calendars: pl.DataFrame


def sweep_inputs(tables: Path, condition: str) -> SweepInputs:
    """The games of a condition that ended, from a folder of tables."""
    summary = read_table(tables, "game_summary").filter(weight_mode=MODES[0])
    games = ended(read_table(tables, "games")).filter(condition=condition)
    games = games.select("game_id", "team", "simulated", "setting", "task_id").join(
        summary.select("game_id", *PAIRS.values()), on="game_id"
    )
    rounds = [
        read_table(tables, name).join(games, on="game_id", how="semi", maintain_order="left")
        for name in ("belief_evidence", "calendars")
    ]
    return SweepInputs(games.sort("game_id"), *rounds)


def apply_rules(updates: pl.DataFrame, rules: RuleSet) -> pl.DataFrame:
    """The updates with the evidence and strength that the rules give their sources."""
    sources = updates["source"].unique().to_list()
    english = {source: (evidence, strength) for source, evidence, strength in rules.language.values()} | VALUES
    strengths = {s: english[s][1] if s in english else rules.typed(s) for s in sources}
    evidence = {s: english[s][0] for s in sources if s in english}
    english_evidence = pl.col("source").replace_strict(evidence, default=None, return_dtype=pl.Float64)
    return updates.with_columns(
        evidence=pl.coalesce(english_evidence, "evidence"),
        strength=pl.col("source").replace_strict(strengths, return_dtype=pl.Float64),
    )


@dataclass(frozen=True)
class AffineBeliefs:
    """Beliefs at the end of rounds, a value a pair, round and slot: constant + prior · by_prior + ε · by_epsilon."""

    constant: Array
    by_prior: Array
    by_epsilon: Array
    weights: dict[str, Array]  # weight mode → w
    game: NDArray[np.intp]  # the index of the game

    def losses(self, prior: float, epsilon: float, games: int) -> dict[str, Array]:
        """Σ w·|b − prior| of each game, by weight mode."""
        distance = belief_shift(self.constant + prior * self.by_prior + epsilon * self.by_epsilon, prior)
        sums = {mode: np.bincount(self.game, distance * w, games) for mode, w in self.weights.items()}
        return {mode: np.asarray(total, dtype=np.float64) for mode, total in sums.items()}


def affine_beliefs(inputs: SweepInputs, rules: RuleSet, weighing: Weighing) -> AffineBeliefs:
    """The beliefs that the rules lead to, for any prior and ε."""

    weights = slot_weights(inputs.calendars, weighing)

    def corner(prior: float, epsilon: float) -> pl.DataFrame:
        updates = apply_rules(inputs.evidence, replace(rules, epsilon=epsilon))
        beliefs = update_beliefs(updates, replace(weighing, prior=prior))
        return final_beliefs(weigh_updates(beliefs, weights))

    start = corner(0.0, 0.0)
    constant = start["belief_after"].to_numpy()
    costs = start["cost_weight"].to_numpy()
    return AffineBeliefs(
        constant,
        corner(1.0, 0.0)["belief_after"].to_numpy() - constant,
        corner(0.0, 1.0)["belief_after"].to_numpy() - constant,
        dict(zip(MODES, (np.ones_like(costs), costs), strict=True)),
        np.searchsorted(inputs.games["game_id"].to_numpy(), start["game_id"].to_numpy()),
    )


def sweep_vps(inputs: SweepInputs, grid: Grid, weighing: Weighing) -> Array:
    """VPS of each game at each point of the grid, in its order: points × games, NaN where no pair counts."""
    pairs = [inputs.games[column].cast(pl.Float64).replace(0.0, np.nan).to_numpy() for column in PAIRS.values()]
    rows = []
    for name in grid.rules:
        beliefs = affine_beliefs(inputs, RULES[name], weighing)
        for prior, epsilon in product(grid.priors, grid.epsilons):
            losses = beliefs.losses(float(prior), float(epsilon), inputs.games.height)
            rows += [losses[mode] / counted for mode in MODES for counted in pairs]
    return np.array(rows)


def read_condition(tables: Path, condition: str) -> dict[str, pl.DataFrame]:
    """The games of a condition that ended, by their ids, with what privacy tables are made of."""
    games = ended(read_table(tables, "games")).filter(condition=condition).sort("game_id")
    of_messages = {name: read_table(tables, name).join(games, on="game_id", how="semi") for name in MESSAGE_TABLES}
    return {"games": games, **of_messages}


def vps_by_english(
    frames: Mapping[str, pl.DataFrame], names: Sequence[str], rules: RuleSet, weighing: Weighing
) -> Array:
    """VPS of each game under each reading, uniform weights and observed pairs: readings × games, NaN without a pair.

    frames: games in the order of their ids, with their rounds, messages and calendars. `release` is the public script
    as a whole, typed messages too; the other readings have typed messages by `rules`.
    """
    read = {name: RULES[name] if name == "release" else replace(rules, english=name) for name in names}
    return np.stack([_vps(frames, read[name], weighing) for name in names])


def _vps(frames: Mapping[str, pl.DataFrame], rules: RuleSet, weighing: Weighing) -> Array:
    """VPS of each game by one set of rules."""
    read = privacy_frames(dict(frames), rules, weighing)
    summary = read["game_summary"].filter(weight_mode="uniform").select("game_id", "vps_loss_mean")
    own = frames["games"].select("game_id").join(summary, on="game_id", how="left", maintain_order="left")
    return own["vps_loss_mean"].fill_null(np.nan).to_numpy().copy()


def english_tables(
    vps: Array,
    games: pl.DataFrame,
    names: Sequence[str],
    choice: str,
    groups: Mapping[str, Sequence[str]],
    how: tuple[Resampling, int, str],
) -> dict[str, pl.DataFrame]:
    """The tables english_rules, english_rules_ranks and english_rules_flips, set against the reading `choice`.

    how: the resampling of intervals, and the draws and seed of the tests of flips. Raises ValueError where the choice
    is none of the names.
    """
    resampling, draws, seed = how
    points = pl.DataFrame({"english": list(names)})
    at = ordering.point_index(points, {"english": choice})
    standings = ordering.standings(vps, games, resampling)
    means = _of_readings(ordering.means_table(points, standings))
    chosen = means.filter(english=choice).select("setting", "team", chosen="vps")
    means = means.join(chosen, on=("setting", "team"), nulls_equal=True).with_columns(
        ratio=(pl.col("vps") / pl.col("chosen")).round(ordering.DECIMALS).fill_nan(None),
    )
    agreement = ordering.agreement_table(points, standings, groups, at)
    flips = ordering.flips_table(points, standings, at, draws, seed)
    return {
        "english_rules": means,
        "english_rules_ranks": _of_readings(agreement),
        "english_rules_flips": _of_readings(flips),
    }


def _of_readings(table: pl.DataFrame) -> pl.DataFrame:
    """The table with the column of readings, which one without rows lacks."""
    return table if "english" in table.columns else table.with_columns(english=pl.lit(None, pl.String))
