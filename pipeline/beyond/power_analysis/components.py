"""Outcomes by team, task and repeat, and the components of their variance."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from pipeline.statistics.resampling import Array

# Measures of Table 1, and the column of each in `standard_games`.
MEASURES = {"excess_cost": "excess_cost", "vps": "vps_loss_mean", "dms_per_meeting": "dms_per_meeting"}
GAME = ("team", "setting", "task_id", "repeat")


class MissingGames(ValueError):
    """A team has not played each of its repeats on every task."""


@dataclass(frozen=True)
class Scores:
    """One measure in one setting. `values`: team → tasks × repeats; tasks in the order of `tasks`."""

    setting: str
    measure: str
    tasks: tuple[str, ...]
    values: dict[str, Array]

    def of(self, teams: Sequence[str]) -> "Scores":
        """The same for some teams; those that have not played are left out."""
        return Scores(self.setting, self.measure, self.tasks, {t: self.values[t] for t in teams if t in self.values})

    @property
    def comparable(self) -> bool:
        """Whether there are two teams and two tasks, so that differences have a variance."""
        return min(len(self.values), len(self.tasks)) > 1

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """All pairs of teams, in the order of their names."""
        return list(combinations(sorted(self.values), 2))


def standard_games(games: pl.DataFrame, summary: pl.DataFrame) -> pl.DataFrame:
    """One row a standard game that ended: GAME and the columns of MEASURES; VPS with equal weights."""
    ended = games.filter((pl.col("condition") == "standard") & ~pl.col("stopped").fill_null(False))
    uniform = summary.filter(weight_mode="uniform").select("game_id", "vps_loss_mean")
    return ended.join(uniform, on="game_id", how="left").select(*GAME, *MEASURES.values())


def scores(rows: pl.DataFrame, setting: str, measure: str) -> Scores:
    """The measure in the setting. A task counts where every team has a value in every repeat of its own.

    Raises MissingGames where a team has not played each of its repeats on every task.
    """
    games = rows.filter(setting=setting).sort("team", "task_id", "repeat")
    missing = games.filter(pl.col(MEASURES[measure]).is_null())["task_id"].unique()
    games = games.filter(~pl.col("task_id").is_in(missing.to_list()))
    tasks = tuple(games["task_id"].unique().sort())
    values = {}
    for (team,), part in games.group_by("team", maintain_order=True):
        repeats = part["repeat"].n_unique()
        if part.height != (whole := repeats * len(tasks)):
            raise MissingGames(f"team {team} has {part.height} {setting} games with {measure}, not {whole}: "
                               f"{repeats} of each of {len(tasks)} tasks")  # fmt: skip
        values[str(team)] = part[MEASURES[measure]].to_numpy().astype(float).reshape(len(tasks), repeats)
    return Scores(setting, measure, tasks, values)


def aligned(measures: Sequence[Scores]) -> list[Scores]:
    """The measures' scores on the tasks that all of them have."""
    common = tuple(sorted(set.intersection(*(set(s.tasks) for s in measures))))
    return [
        Scores(s.setting, s.measure, common, {t: v[[s.tasks.index(c) for c in common]] for t, v in s.values.items()})
        for s in measures
    ]


@dataclass(frozen=True)
class Components:
    """Variances of y = μ + team + task + team·task + repeat; negative estimates are 0.

    `interaction` stays in a paired difference however often games are repeated; `repeat` is averaged away.
    """

    team: float
    task: float
    interaction: float
    repeat: float


def components(values: Array) -> Components:
    """The components of teams × tasks × repeats values, at least two of the first two.

    With one repeat the last two can't be told apart and count as interaction, as befits teams that play a task the same
    way each time. Expected mean squares: Searle, Casella and McCulloch (1992), section 4.5.
    """
    teams, tasks, repeats = values.shape
    cells = values.mean(axis=2)
    by_team, by_task, grand = cells.mean(axis=1), cells.mean(axis=0), cells.mean()
    team_square = tasks * repeats * float(((by_team - grand) ** 2).sum()) / (teams - 1)
    task_square = teams * repeats * float(((by_task - grand) ** 2).sum()) / (tasks - 1)
    residuals = cells - by_team[:, None] - by_task[None, :] + grand
    both_square = repeats * float((residuals**2).sum()) / ((teams - 1) * (tasks - 1))
    within = float(((values - cells[:, :, None]) ** 2).sum()) / (teams * tasks * max(1, repeats - 1))
    return Components(
        max(0.0, (team_square - both_square) / (tasks * repeats)),
        max(0.0, (task_square - both_square) / (teams * repeats)),
        max(0.0, (both_square - within) / repeats),
        within,
    )


def difference_variance(variances: Components, repeats: int) -> float:
    """Variance over tasks of the difference of two teams' means of `repeats` games: 2 (interaction + repeat / R)."""
    return 2 * (variances.interaction + variances.repeat / repeats)


@dataclass(frozen=True)
class Pair:
    """Two teams' difference a − b: its mean, what tasks make of it, and what repeats do."""

    difference: float
    interaction: float
    repeat: float

    def variance(self, repeats: int) -> float:
        """Variance over tasks of the difference of means of `repeats` games."""
        return self.interaction + self.repeat / repeats


def pair(one: Array, other: Array) -> Pair:
    """The pair's difference from tasks × repeats values each; a team with one repeat plays the same way each time."""
    means = one.mean(axis=1) - other.mean(axis=1)
    noise = [within(values) for values in (one, other)]
    averaged = sum(n / values.shape[1] for n, values in zip(noise, (one, other), strict=True))
    return Pair(float(means.mean()), max(0.0, float(means.var(ddof=1)) - averaged), sum(noise))


def within(values: Array) -> float:
    """Variance among a task's repeats, pooled over tasks; 0 with one repeat."""
    return float(values.var(axis=1, ddof=1).mean()) if values.shape[1] > 1 else 0.0


def stacked(scores: Scores) -> Array:
    """Teams × tasks × repeats, as many repeats as every team has."""
    repeats = min(values.shape[1] for values in scores.values.values())
    return np.stack([values[:, :repeats] for _, values in sorted(scores.values.items())])
