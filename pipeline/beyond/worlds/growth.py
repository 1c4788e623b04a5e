"""Games in larger worlds: how cost, messages and leakage grow with their size, and who takes IMAP's slots there."""

from collections.abc import Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from pipeline.beyond.brief_traces import games_in
from pipeline.beyond.leakage import game_bits
from pipeline.beyond.worlds.suites import SIZES, cells
from pipeline.statistics.bootstrap import measure_lines, ratio_intervals
from pipeline.statistics.resampling import Resampling
from pipeline.tables.queries import attach

QUERY = Path(__file__).with_name("games.sql")
MEASURES = (
    "coordination_rate",
    "excess_per_meeting",
    "greedy_excess_per_meeting",
    "dms_per_meeting",
    "sweeps",
    "vps_mean",
    "vps_per_slot",
    "vps_all_pairs",
    "bits",
    "bits_per_meeting",
)
# The size that each sweep changes; a cell that stands alone is listed by its agents.
COLUMN = {
    "agents": "num_agents",
    "slots": "num_slots",
    "meetings": "num_meetings",
    "participants": "num_participants",
    "density": "density",
}
GROUP = ["sweep", "setting", "protocol"]


def games_of(derived: Path, tasks: pl.DataFrame, settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per protocol's standard game in a folder of derived tables: worlds_games, and excess_cost.

    tasks: of `suite_tasks`, which has to hold those of the games; settings: the `leakage`
    block of notebooks/beyond/params.yaml. Raises ValueError where a game's task is none of the tasks.
    """
    with attach(derived) as connection:
        played: pl.DataFrame = connection.sql(QUERY.read_text(encoding="utf-8")).pl()
    bits = game_bits(derived, settings).select("game_id", "bits")
    sizes = [name for name in SIZES if name not in played.columns]
    references = tasks.select("task_id", *sizes, "best_cost", "bound", "greedy_excess")
    joined = played.join(references, on="task_id", how="left").join(bits, on="game_id", how="left")
    unknown = joined.filter(pl.col("bound").is_null())
    if unknown.height:
        raise ValueError(f"{derived}: the task {unknown['task_id'][0]} is not in the suite; derive its games again")
    agents = pl.col("num_agents")
    return joined.with_columns(
        excess=pl.col("realized_cost") - pl.col("best_cost"),
        most_excess=pl.col("realized_cost") - pl.col("bound"),
        vps_per_slot=pl.col("vps_mean") / pl.col("num_slots"),
    ).with_columns(
        excess_per_meeting=pl.col("excess") / pl.col("meetings"),
        greedy_excess_per_meeting=pl.col("greedy_excess") / pl.col("meetings"),
        bits_per_meeting=pl.col("bits") * agents * (agents - 1) / pl.col("meetings"),
    )


def held_out(suite: str, traces: Path, baseline: Path, tasks: pl.DataFrame) -> pl.DataFrame:
    """One row per game of a folder or pack, beside the baseline's game of the same task: worlds_held_out.

    suite: its name; tasks: of `suite_tasks`. Raises KeyError for a task that the baseline has not played.
    """
    slots = {g.config.task_id: [r.per_agent_slot for r in g.resolutions] for g in games_in(baseline)}
    rows = [
        {
            "suite": suite,
            "protocol": game.config.team,
            "task_id": game.config.task_id,
            "setting": game.config.setting,
            "outsider": all(len(m.participants) < game.config.num_agents for m in game.config.scenario.meetings),
            "meetings": len(game.resolutions),
            "scheduled": sum(r.coordinated for r in game.resolutions),
            "same": sum(
                r.per_agent_slot == s for r, s in zip(game.resolutions, slots[game.config.task_id], strict=True)
            ),
            "last_turn": game.last_turn,
            "cost": sum(game.final_state.per_agent_cost),
        }
        for game in games_in(traces)
    ]
    costs = tasks.select("task_id", "best_cost")
    return pl.DataFrame(rows).join(costs, on="task_id").with_columns(excess=pl.col("cost") - pl.col("best_cost"))


def swept(games: pl.DataFrame, p: Mapping[str, Any]) -> pl.DataFrame:
    """The games once for each sweep that their cell belongs to, with `sweep` and `value`, the size that changes."""
    values = [
        {"sweep": sweep, "value": float(sizes[COLUMN.get(sweep, "num_agents")]), **sizes} for sweep, sizes in cells(p)
    ]
    return games.join(pl.DataFrame(values), on=list(SIZES))


def means_by_density(
    games: pl.DataFrame, by: Sequence[str], resampling: Resampling, measures: Sequence[str]
) -> pl.DataFrame:
    """One row per group and measure: its mean over games that have it, and its interval, tasks drawn anew.

    games: of `games_of`.
    """
    return ratio_intervals(measure_lines(games, [*by, "task_id"], measures), [*by, "measure"], resampling)


def points(games: pl.DataFrame, by: Sequence[str], level: float) -> pl.DataFrame:
    """One row per group and measure: its mean over the worlds that have it, and Student's t interval.

    games: of `swept`. A handful of worlds drawn anew would make it about half as wide. No ends for fewer than two.
    """
    from scipy.stats import t  # type: ignore[import-untyped]

    lines = games.select(*by, pl.col(MEASURES).cast(pl.Float64)).unpivot(
        MEASURES, index=by, variable_name="measure", value_name="of_world"
    )
    of = pl.col("of_world")
    cells = lines.group_by(*by, "measure").agg(mean=of.mean(), sd=of.std(), games=of.count().cast(pl.Int64))
    factors = {n: float(t.ppf((1 + level) / 2, n - 1)) / sqrt(n) if n > 1 else None for n in cells["games"].unique()}
    reach = pl.col("sd") * pl.col("games").replace_strict(factors, return_dtype=pl.Float64)
    ends = cells.with_columns(low=pl.col("mean") - reach, high=pl.col("mean") + reach, tasks="games")
    return ends.select(*by, "measure", "mean", "low", "high", "games", "tasks").sort(*by, "measure")


def growth(games: pl.DataFrame, level: float) -> pl.DataFrame:
    """One row per sweep of two or more sizes, setting, protocol and measure: b of mean = a · size^b (worlds_growth).

    games: of `swept`. A least-squares line through the logarithms of the cells' means. Empty where one is not above 0.
    """
    rows = []
    ordered = games.sort(*GROUP, "value", "task_id")
    for group, part in ordered.group_by(GROUP, maintain_order=True):
        if part["value"].n_unique() > 1:
            key = dict(zip(GROUP, group, strict=True))
            rows += [key | {"measure": m} | exponent(part, m, level) for m in MEASURES]
    return pl.DataFrame(rows, schema_overrides=dict.fromkeys(("exponent", "low", "high", "df"), pl.Float64))


def exponent(games: pl.DataFrame, measure: str, level: float) -> dict[str, Any]:
    """The exponent of one group's measure, its interval, and what they rest on: columns of worlds_growth.

    A cell's log mean varies by s² / (n · mean²) (delta method, n worlds of standard deviation s); the slope is a sum of
    them, with Student's t at Welch and Satterthwaite's degrees of freedom.
    """
    from scipy.stats import t

    known = games.drop_nulls(measure).group_by("value", maintain_order=True)
    cells = known.agg(mean=pl.col(measure).cast(pl.Float64).mean(), sd=pl.col(measure).std(), n=pl.len())
    none = {"exponent": None, "low": None, "high": None, "df": None, "cells": cells.height}
    if cells.height < 2 or cells["mean"].min() <= 0:  # type: ignore[operator]
        return none
    logs = np.log(cells["value"].to_numpy())
    weights = (logs - logs.mean()) / np.square(logs - logs.mean()).sum()
    estimate = float(weights @ np.log(cells["mean"].to_numpy()))
    if cells["n"].min() < 2:  # type: ignore[operator]
        return none | {"exponent": estimate}
    variances = np.square(weights * cells["sd"].to_numpy() / cells["mean"].to_numpy()) / cells["n"].to_numpy()
    squares = np.square(variances) / (cells["n"].to_numpy() - 1)
    if not variances.sum():
        return none | {"exponent": estimate, "low": estimate, "high": estimate}
    df = float(variances.sum() ** 2 / squares.sum())
    reach = float(t.ppf((1 + level) / 2, df)) * sqrt(variances.sum())
    return none | {"exponent": estimate, "low": estimate - reach, "high": estimate + reach, "df": df}
