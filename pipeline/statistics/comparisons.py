"""Which teams differ, and which ranks that leaves open: Table 1's metrics, within a setting and condition."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import polars as pl

from pipeline.io import read_table, to_frame
from pipeline.schemas.results import COMPARISONS, RANKS
from pipeline.statistics.bootstrap import ratio_intervals
from pipeline.statistics.by_game import by_game, ended
from pipeline.statistics.uncertainty import by_task, pairwise, rank_intervals
from pipeline.truth.recall import Resampling

GROUP = ("setting", "condition")
PAIR = ("a", "b")
HIGHER = {"higher": True, "lower": False}

Tables = tuple[pl.DataFrame, pl.DataFrame]


@dataclass(frozen=True)
class Testing:
    """What is compared and which way is better (metric → higher or lower), draws of signs, and the level of tests."""

    better: Mapping[str, str] = field(default_factory=dict)
    draws: int = 10_000
    alpha: float = 0.05
    seed: str = "comparisons"


def values(tables: Path) -> pl.DataFrame:
    """One row a game that ended: its team and task, and Table 1's metrics."""
    tasks = ended(read_table(tables, "games")).select("game_id", "task_id")
    return by_game("table1", tables).join(tasks, on="game_id").sort("game_id")


def comparisons(games: pl.DataFrame, testing: Testing, resampling: Resampling) -> Tables:
    """Pairs and ranks of the games of `values`.

    Pairs: one row a setting, condition, metric and pair of teams: mean difference on common tasks, its interval, and p,
    Holm's over the pairs of the group. Ranks: one row a setting, condition, metric and team, with the ranks left open.
    Raises ValueError for a metric without a column, or a direction other than higher and lower.
    """
    unknown = {m: way for m, way in testing.better.items() if m not in games.columns or way not in HIGHER}
    if unknown:
        raise ValueError(f"comparisons need metrics of Table 1, each higher or lower, not {unknown}")
    nothing = (to_frame(COMPARISONS, []).drop("a_simulated", "b_simulated"), to_frame(RANKS, []).drop("simulated"))
    every = [nothing, *_every(games, testing, resampling)]
    of_pairs, of_ranks = (pl.concat(parts, how="diagonal") for parts in zip(*every, strict=True))
    simulated = games.group_by("team").agg(pl.col("simulated").any())
    for side in PAIR:
        named = simulated.rename({"team": side, "simulated": f"{side}_simulated"})
        of_pairs = of_pairs.join(named, on=side, how="left")
    return of_pairs, of_ranks.join(simulated, on="team", how="left")


def _every(games: pl.DataFrame, testing: Testing, resampling: Resampling) -> Iterator[Tables]:
    """The pairs and ranks of each setting, condition and metric."""
    for (setting, condition), part in games.sort(GROUP).group_by(GROUP, maintain_order=True):
        for metric, better in testing.better.items():
            names = (testing.seed, f"{setting}", f"{condition}")
            tested = pairwise(part, value=metric, names=names, draws=testing.draws)
            ranked = rank_intervals(part, tested, value=metric, higher_is_better=HIGHER[better], alpha=testing.alpha)
            spread = ratio_intervals(differences(part, metric), PAIR, resampling).select(*PAIR, "low", "high")
            where = {"setting": setting, "condition": condition, "metric": metric}
            named = [pl.lit(value, pl.String).alias(name) for name, value in where.items()]
            yield (
                tested.join(spread, on=PAIR, how="left").with_columns(*named),
                ranked.with_columns(*named, better=pl.lit(better), teams=pl.len().cast(pl.Int64)),
            )


def differences(games: pl.DataFrame, metric: str) -> pl.DataFrame:
    """One row a pair of teams and common task, as `ratio_intervals` takes them: the difference a − b counts once."""
    means = by_task(games, "team", metric, "task_id")
    rows = [
        (a, b, task, means[a][task] - means[b][task], 1.0)
        for a, b in combinations(sorted(means), 2)
        for task in sorted(means[a].keys() & means[b].keys())
    ]
    schema = {"a": pl.String, "b": pl.String, "task_id": pl.String, "numerator": pl.Float64, "denominator": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")
