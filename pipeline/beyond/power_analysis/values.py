"""What each team scored on each task in each repeat: the numbers that everything here is made from."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Measures of Table 1, and the column of each in `played`.
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


def played(games: pl.DataFrame, summary: pl.DataFrame) -> pl.DataFrame:
    """One row a standard game that ended: GAME and the columns of MEASURES; VPS with equal weights."""
    standard = games.filter((pl.col("condition") == "standard") & ~pl.col("stopped").fill_null(False))
    uniform = summary.filter(weight_mode="uniform").select("game_id", "vps_loss_mean")
    return standard.join(uniform, on="game_id", how="left").select(*GAME, *MEASURES.values())


def scores(rows: pl.DataFrame, setting: str, measure: str) -> Scores:
    """The measure in the setting. A task counts where every team has a value in every repeat of its own.

    Raises MissingGames where a team has not played each of its repeats on every task.
    """
    own = rows.filter(setting=setting).sort("team", "task_id", "repeat")
    missing = own.filter(pl.col(MEASURES[measure]).is_null())["task_id"].unique()
    own = own.filter(~pl.col("task_id").is_in(missing.to_list()))
    tasks = tuple(own["task_id"].unique().sort())
    values = {}
    for (team,), part in own.group_by("team", maintain_order=True):
        repeats = part["repeat"].n_unique()
        if part.height != (whole := repeats * len(tasks)):
            raise MissingGames(f"team {team} has {part.height} {setting} games with {measure}, not {whole}: "
                               f"{repeats} of each of {len(tasks)} tasks")  # fmt: skip
        values[str(team)] = part[MEASURES[measure]].to_numpy().astype(float).reshape(len(tasks), repeats)
    return Scores(setting, measure, tasks, values)


def aligned(measured: Sequence[Scores]) -> list[Scores]:
    """The measures on the tasks that all of them have."""
    common = tuple(sorted(set.intersection(*(set(s.tasks) for s in measured))))
    return [
        Scores(s.setting, s.measure, common, {t: v[[s.tasks.index(c) for c in common]] for t, v in s.values.items()})
        for s in measured
    ]
