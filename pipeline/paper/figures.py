"""The paper's printed figures: as rows, as values by name, and what they and its tasks imply of its games."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.paper.compare import round_half_up

Costs = NDArray[np.int64]
Figures = Mapping[tuple[str, str, str, str], float]  # source, setting, method, metric → value

SETTINGS = ("uniform", "varied")
ALL = "all models"
ABOVE, AT_MOST = "_above", "_at_most"  # metrics of which the paper prints a bound
WORDS = ("profile", "model_identifier", "exhaustive_search")  # metrics of which it prints a word
ADVERSARIAL = ("section 4, Adversarial", "Appendix C")  # sources of probed games: a figure's setting does not say so


class Figure(NamedTuple):
    """A row of data/paper/numbers.csv; value and decimals are text, as printed."""

    source: str
    setting: str
    method: str
    kind: str
    metric: str
    value: str
    decimals: str

    @property
    def condition_and_setting(self) -> tuple[str, str]:
        """The condition and setting of the games that it is of, as the results call them."""
        condition, _, setting = self.setting.partition(" ")
        if condition in ("blocked", "adversarial"):
            return condition, setting or "pooled"
        return "adversarial" if self.source in ADVERSARIAL else "standard", self.setting

    @property
    def measure(self) -> str:
        """What is measured, also where the figure is a bound of it: excess_cost_above → excess_cost."""
        return self.metric.removesuffix(ABOVE)

    def rounded(self, value: float | str) -> str:
        """A value of ours at the precision of the figure; words as they are."""
        return value if isinstance(value, str) else round_half_up(value, int(self.decimals))

    def equals(self, value: float | str) -> bool:
        """Whether a value of ours rounds to what is printed, is the word printed, or lies within the bound printed."""
        if isinstance(value, str):
            return value == self.value
        if self.metric.endswith(ABOVE):
            return value > float(self.value)
        if self.metric.endswith(AT_MOST):
            return value <= float(self.value)
        return Decimal(self.rounded(value)) == Decimal(self.value)


def figure_rows(numbers: pl.DataFrame) -> list[Figure]:
    """The paper's figures, those of a source together. numbers: of `read_numbers`."""
    rows = [Figure(*row) for row in numbers.select(Figure._fields).iter_rows()]
    sources = list(dict.fromkeys(figure.source for figure in rows))
    return sorted(rows, key=lambda figure: sources.index(figure.source))


EXPENSIVE = 100  # the least cost of an expensive move (Appendix B)


def figure_values(numbers: pl.DataFrame) -> Figures:
    """The value of each printed figure that is a number. numbers: of `read_numbers`."""
    figures = numbers.filter(~pl.col("metric").is_in(WORDS))
    rows = figures.select("source", "setting", "method", "metric", "value").iter_rows()
    return {(at, where, who, what): float(value) for at, where, who, what, value in rows}


def models(f: Figures) -> list[str]:
    """The models of Table 1, by name."""
    return sorted({method for source, _, method, _ in f if source == "Table 1"})


def expensive_bounds(tasks: Path, most: int) -> pl.DataFrame:
    """A lower bound of what full schedules of all varied tasks cost together, by how many expensive moves they make.

    Rows are moves (0 to most - 1) and least. A bound by Lagrange's multipliers: each expensive move is taken at 0, 1,
    2, … less than its cost, and the price by which it is reduced is added again. tasks: a suite's JSON Lines.
    """
    lines = map(json.loads, tasks.read_text(encoding="utf-8").splitlines())
    prices = [_prices(task["calendars"], task["meetings"]) for task in lines if task["setting"] == "varied"]
    reduced = [sum(_cheapest(cost - less * expensive) for cost, expensive in prices) for less in range(EXPENSIVE + 1)]
    moves = np.arange(most)
    least = np.max([EXPENSIVE * moves, *(cost + less * moves for less, cost in enumerate(reduced))], axis=0)
    return pl.DataFrame({"moves": moves, "least": least})


def _prices(calendars: Sequence[Sequence[Any]], meetings: Sequence[Mapping[str, Any]]) -> tuple[Costs, Costs]:
    """What each meeting (rows) costs its participants in each slot (columns), and how many such moves are expensive."""
    held = np.array([[item["cost"] if item else 0 for item in calendar] for calendar in calendars])
    called = [meeting["participants"] for meeting in meetings]
    return (
        np.array([held[list(agents)].sum(axis=0) for agents in called]),
        np.array([(held[list(agents)] >= EXPENSIVE).sum(axis=0) for agents in called]),
    )


def _cheapest(prices: Costs) -> int:
    """The least sum of prices with a slot of its own for each meeting: any two share a participant."""
    from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

    return int(prices[linear_sum_assignment(prices)].sum())


DIFFICULTIES = ("easy", "medium", "hard")


def own_difficulty(suites: Sequence[Path]) -> pl.DataFrame:
    """The suites' tasks by condition, setting, density and the difficulty that their list gives them.

    errands: an agent's at first. optimal_cost, in cost units, and feasible_pct are means; the latter is the share of
    assignments without a clash that no calendar rules out, of tasks that have an unblocked form among the suites.
    own_easy, own_medium, own_hard: how many lie in that third of their condition, setting and density by their own
    optimum per participant-slot, then errands that the optimum displaces, then seed. suites: JSON Lines.
    """
    lines = (json.loads(line) for path in suites for line in path.read_text(encoding="utf-8").splitlines())
    tasks = pl.DataFrame([_graded_columns(task) for task in lines])
    cell = ("condition", "setting", "density")
    free = tasks.filter(condition="standard").select("setting", "seed", without_clash="feasible_assignments")
    rank = pl.struct("difficulty_score", "displaced_errands", "seed").rank("ordinal").over(cell)
    own = ((rank - 1) * len(DIFFICULTIES) // pl.len().over(cell)).alias("own")
    counts = [(pl.col("own") == third).sum().alias(f"own_{name}") for third, name in enumerate(DIFFICULTIES)]
    feasible = 100 * pl.col("feasible_assignments") / pl.col("without_clash")
    means = (pl.col("optimal_cost").mean(), feasible.mean().alias("feasible_pct"))
    graded = tasks.join(free, on=["setting", "seed"], how="left").with_columns(own)
    summary = (
        graded.sort("seed")
        .group_by(*cell, "difficulty", maintain_order=True)
        .agg(pl.len().alias("tasks"), pl.col("errands").first(), *means, *counts)
    )
    return summary.sort(
        *cell, pl.col("difficulty").replace_strict(dict(zip(DIFFICULTIES, range(3), strict=True)), default=3)
    )


def _graded_columns(task: Mapping[str, Any]) -> dict[str, Any]:
    """What a task's difficulty is told by."""
    named = ("condition", "setting", "density", "seed", "difficulty", "difficulty_score", "displaced_errands")
    errands = sum("errand_id" in item for item in task["calendars"][0] if item)
    return {
        **{name: task[name] for name in named},
        "optimal_cost": task["optimal"]["cost"],
        "feasible_assignments": task["feasible_assignments"],
        "errands": errands,
    }
