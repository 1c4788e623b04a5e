"""The paper's printed figures by name, and a check of what it says against them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

CONTRADICTS, NOT_SHOWN, AGREES = VERDICTS = ("contradicts", "not shown", "agrees")


@dataclass(frozen=True)
class Check:
    """A statement of the paper (`says`, at `where`), what `follows` elsewhere, the values computed, and the verdict."""

    name: str
    says: str
    where: str
    follows: str
    computed: dict[str, Any]
    verdict: str


def agrees(fits: bool) -> str:
    """The verdict on a statement that its other figures either allow or exclude."""
    return AGREES if fits else CONTRADICTS


# Source, setting, method, metric.
Figures = Mapping[tuple[str, str, str, str], float]

SETTINGS = ("uniform", "varied")
ALL = "all models"
SPELT_ALSO = {"Qwen 3.6 Plus": "Qwen3.6 Plus"}  # the paper spells one model in two ways


class Suite(NamedTuple):
    """What the paper's varied tasks alone imply.

    optimal_cost: sum of the oracle's costs; fewest_moves: a bound from below on the items that must move before all
    their meetings have a slot.
    """

    optimal_cost: int
    fewest_moves: int


def figures(numbers: pl.DataFrame) -> Figures:
    """The value of each printed figure. numbers: rows of data/paper/numbers.csv."""
    rows = numbers.select("source", "setting", "method", "metric", "value").iter_rows()
    return {(at, where, SPELT_ALSO.get(who, who), what): float(value) for at, where, who, what, value in rows}


def models(f: Figures) -> list[str]:
    """The models of Table 1, by name."""
    return sorted({method for source, _, method, _ in f if source == "Table 1"})


def games(f: Figures) -> int:
    """Games of one model in one setting (section 4.1 counts them all together)."""
    return round(f["section 4.1", "pooled", ALL, "games"]) // (len(models(f)) * len(SETTINGS))


def meetings(f: Figures) -> int:
    """Meetings of a game: what a model schedules that coordinates all of them."""
    full = [m for m in models(f) if f["Table 1", "uniform", m, "coordination_rate_pct"] == 100]
    return round(f["Table 1", "uniform", full[0], "meetings_scheduled"])


def failed_rounds(f: Figures, model: str, settings: tuple[str, ...] = SETTINGS) -> int:
    """Rounds whose meeting was not coordinated, as Table 1's rate implies them."""
    rates = [f["Table 1", setting, model, "coordination_rate_pct"] for setting in settings]
    return sum(round((1 - rate / 100) * games(f) * meetings(f)) for rate in rates)


def by_model(f: Figures, source: str, metric: str, setting: str = "pooled") -> dict[str, float]:
    """A metric's figure of each model that the source names, in its order."""
    return {
        who: v
        for (at, where, who, what), v in f.items()
        if (at, where, what) == (source, setting, metric) and who != ALL
    }


def varied_suite(tasks: Path) -> Suite:
    """What the varied tasks imply. tasks: a suite's JSON Lines, one task a line."""
    lines = map(json.loads, tasks.read_text(encoding="utf-8").splitlines())
    varied = [task for task in lines if task["setting"] == "varied"]
    moves = sum(
        _fewest_moves(task["calendars"], meeting["participants"]) for task in varied for meeting in task["meetings"]
    )
    return Suite(sum(task["optimal"]["cost"] for task in varied), moves)


def _fewest_moves(calendars: Sequence[Sequence[object]], participants: Sequence[int]) -> int:
    """The least number of items that a meeting's participants hold in one slot."""
    return min(
        sum(item is not None for item in slot) for slot in zip(*(calendars[p] for p in participants), strict=True)
    )
