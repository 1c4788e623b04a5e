"""Larger worlds than the paper's: how cost, messages and leakage grow, who takes IMAP's slots there, and densities.

`python -m pipeline.beyond.worlds` makes the tables, of the suites of worlds_suites.py and of games on them.
"""

from collections.abc import Mapping, Sequence
from math import sqrt
from operator import eq
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from pipeline import beyond
from pipeline.beyond import DERIVED, TRACES, params
from pipeline.beyond.brief_traces import games_in
from pipeline.beyond.leakage.measure import game_bits
from pipeline.beyond.tables import declare, write
from pipeline.beyond.worlds_suites import SIZES, cells, suite_tasks
from pipeline.statistics.bootstrap import measure_lines, ratio_intervals
from pipeline.statistics.resampling import Resampling
from pipeline.tables import paths
from pipeline.tables.queries import attach

TABLES = declare(
    """
    worlds_tasks (task_id): one task: how large it is, how far its optimum is known
    task_id: str the task
    setting: str uniform or varied errand costs
    num_agents: int agents
    num_participants: int participants of a meeting
    num_slots: int slots of a calendar
    num_meetings: int meetings of the stream
    density: float share of slots that errands are asked to fill
    errands: float errands on a calendar at first, mean over agents
    best_cost: int [cost] cost of the cheapest schedule known
    bound: int [cost] no schedule is cheaper; best_cost where that is the optimum
    proven: bool whether best_cost is the optimum
    greedy_excess: int [cost] cost of the greedy yardstick − best_cost

    worlds_games (protocol, task_id): one game of a protocol on a task of the grid
    protocol: str who played
    task_id, setting, num_agents, num_participants, num_slots, num_meetings, density
    coordination_rate: float meetings coordinated in their round / meetings
    excess: int [cost] realised cost − best_cost: the least that the excess can be
    most_excess: int [cost] realised cost − bound: the most that it can be
    excess_per_meeting: float [cost] excess / meetings
    greedy_excess_per_meeting: float [cost] the greedy yardstick's excess / meetings
    dms_per_meeting: float direct messages / meetings scheduled; empty without any
    sweeps: int most sweeps of cheap talk in a round that sent something
    vps_mean: float [VPS] VPS, mean over observed pair-rounds (the paper's); empty without any
    vps_all_pairs: float [VPS] VPS, mean over all pair-rounds, unobserved ones as 0
    vps_per_slot: float [VPS] vps_mean / slots of a calendar
    bits: float [bits] bits about an agent that another holds at the end, mean over ordered pairs
    bits_per_meeting: float [bits] the same, added up over pairs / meetings

    worlds_points (sweep, value, setting, protocol, measure): one measure of a protocol's games in one cell of a sweep
    sweep: str the size that changes: agents, slots, meetings, participants, density; or one cell's name
    value: float the size that changes; of a single cell its agents
    setting, protocol
    measure: str a column of worlds_games
    mean: float its mean over worlds
    low: float its 95 % interval, Student's t over the worlds of the cell
    high: float its end
    games: int games with a value
    tasks: int tasks

    worlds_growth (sweep, setting, protocol, measure): how one measure of a protocol grows in a sweep: the exponent of a
        power law
    sweep, setting, protocol, measure
    exponent: float slope of log mean on log size, least squares; empty where a mean is not above 0
    low: float its 95 % interval, Student's t by the spread of the worlds within cells
    high
    df: float degrees of freedom of that t; empty where the worlds of each cell are alike
    cells: int sizes that the line is fitted to

    worlds_densities (suite, density, setting, protocol, measure): one suite and density: how many slots its errands
        fill, and how the protocols fare
    suite: str published: the paper's 72 tasks; three densities: ours
    density: float the density that is asked for
    setting, protocol
    measure: str a column of worlds_games, or excess_cost
    least_errands: int errands on a calendar at first: the fewest
    most_errands: int the most
    mean: float its mean over games
    low: float its 95 % interval, for which tasks are drawn anew
    high, games, tasks

    worlds_held_out (suite, protocol, task_id): one game of a protocol beyond the paper on a task that no parameter of
        it was chosen on, beside IMAP's game
    suite: str worlds: the grid; three densities
    protocol, task_id, setting
    outsider: bool whether each meeting leaves an agent out
    meetings: int meetings of the game
    scheduled: int meetings that were coordinated in their round
    same: int rounds after which each participant holds the meeting where it does after IMAP's
    last_turn: int the last sweep of cheap talk, from 0, of any round in which a message was sent
    excess: int [cost] realised cost − cost of the cheapest schedule known
    """
)


QUERY = Path(__file__).with_name("worlds.sql")
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


def held_out(suite: str, name: str, tasks: pl.DataFrame, traces: Path = TRACES) -> pl.DataFrame:
    """One row per game of a suite by protocols beyond the paper, beside IMAP's of the same task: worlds_held_out.

    name: of the suite's traces; tasks: of `suite_tasks`. Raises KeyError for a task that IMAP has not played.
    """
    imap = games_in(traces / name / "imap.jsonl.zst")
    slots = {game.config["task_id"]: [r.per_agent_slot for r in game.resolutions] for game in imap}
    rows = [
        {
            "suite": suite,
            "protocol": game.config["team"],
            "task_id": game.config["task_id"],
            "setting": game.config["setting"],
            "outsider": all(len(members) < game.config["num_agents"] for members in game.participants.values()),
            "meetings": len(game.resolutions),
            "scheduled": sum(r.coordinated for r in game.resolutions),
            "same": sum(map(eq, (r.per_agent_slot for r in game.resolutions), slots[game.config["task_id"]])),
            "last_turn": game.last_turn,
            "cost": sum(game.costs),
        }
        for game in games_in(traces / f"held_out/{name}.jsonl.zst")
    ]
    costs = tasks.select("task_id", "best_cost")
    return pl.DataFrame(rows).join(costs, on="task_id").with_columns(excess=pl.col("cost") - pl.col("best_cost"))


def swept(games: pl.DataFrame, p: Mapping[str, Any]) -> pl.DataFrame:
    """The games once for each sweep that their cell belongs to, with `sweep` and `value`, the size that changes."""
    values = [
        {"sweep": sweep, "value": float(sizes[COLUMN.get(sweep, "num_agents")]), **sizes} for sweep, sizes in cells(p)
    ]
    return games.join(pl.DataFrame(values), on=list(SIZES))


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


SUITES = Path("data/beyond/suites")
PUBLISHED = Path("data/suites/standard.jsonl")
DENSITY_MEASURES = ("coordination_rate", "excess_cost", "dms_per_meeting", "vps_mean", "vps_all_pairs", "bits")


def main(out: Path = beyond.TABLES) -> None:
    """Write the tables of larger worlds and of densities."""
    p, resampling = params("worlds"), Resampling(**paths.params("intervals"))
    tasks, three = (suite_tasks(SUITES / f"{name}.jsonl") for name in ("worlds", "three_densities"))
    games = games_of(DERIVED / "worlds", tasks, params("leakage"))
    in_sweeps = swept(games, p)
    by_density = [
        densities("published", suite_tasks(PUBLISHED), paths.TABLES, resampling),
        densities("three densities", three, DERIVED / "densities", resampling),
    ]
    beyond_imap = [held_out("worlds", "worlds", tasks), held_out("three densities", "densities", three)]
    frames = {
        "worlds_tasks": tasks,
        "worlds_games": games,
        "worlds_points": points(in_sweeps, ["sweep", "value", "setting", "protocol"], resampling.level),
        "worlds_growth": growth(in_sweeps, resampling.level),
        "worlds_densities": pl.concat(by_density),
        "worlds_held_out": pl.concat(beyond_imap),
    }
    write(frames, TABLES, out)


def densities(suite: str, tasks: pl.DataFrame, derived: Path, resampling: Resampling) -> pl.DataFrame:
    """One row per density, setting, protocol and measure of a suite's games: worlds_densities.

    tasks: of `suite_tasks`; derived: the folder of the games' tables.
    """
    by = ["density", "setting", "protocol"]
    lines = measure_lines(games_of(derived, tasks, params("leakage")), [*by, "task_id"], DENSITY_MEASURES)
    fill = tasks.group_by("density").agg(pl.col("least_errands").min(), pl.col("most_errands").max())
    means = ratio_intervals(lines, [*by, "measure"], resampling)
    return means.join(fill, on="density").with_columns(suite=pl.lit(suite))


if __name__ == "__main__":
    main()
