"""The figures that docs/environment.md quotes: the tasks' difficulty, and the review's test carried out."""

from collections.abc import Sequence
from math import floor
from pathlib import Path
from typing import NamedTuple

import polars as pl

from pipeline.paper.compare import read_numbers
from pipeline.paper.figures import ALL, DIFFICULTIES, SETTINGS, Figures, figure_values, models
from pipeline.reports.documents.markdown import figure, table
from pipeline.tables.paths import NUMBERS, RESULTS

BASELINES, PROBED = "section 4, Baselines", "section 4, Adversarial"
# How many times a baseline's excess counts as far beyond it; the page shows the largest ratio beside.
FAR = 2


def _tasks(results: Path, condition: str) -> pl.DataFrame:
    return pl.read_csv(results / "difficulty.csv", glob=False).filter(condition=condition)


def fills(results: Path = RESULTS, slots: int = 16) -> str:
    """A line a density: what the paper's floor would fill, and what the tasks have."""
    by_density = _tasks(results, "standard").group_by("density", maintain_order=True).agg(pl.col("errands").unique())
    rows = [
        [f"{density:g}", f"{slots * density:g}", str(floor(slots * density)), ", ".join(map(str, errands))]
        for density, errands in by_density.sort("density").rows()
    ]
    return table(["density", "16 · density", "floor", "errands of an agent"], rows, right=["floor"])


def thirds(results: Path = RESULTS) -> str:
    """How the blocked tasks lie: a line a listed difficulty, and in how many they are in another third."""
    own = [f"own_{name}" for name in DIFFICULTIES]
    blocked = _tasks(results, "blocked").group_by("difficulty").agg(pl.col("tasks", *own).sum())
    rows = [(name, *blocked.filter(difficulty=name).select(own).row(0)) for name in DIFFICULTIES]
    stay = sum(row[1 + place] for place, row in enumerate(rows))
    everything = blocked["tasks"].sum()
    note = f"{everything - stay} of {everything} blocked tasks lie in another third of their cell than the list says:"
    head = ["the list says", *(f"own third: {name}" for name in DIFFICULTIES)]
    return f"{note}\n\n" + table(head, [[name, *map(str, counts)] for name, *counts in rows], right=head[1:])


def ruled_out(results: Path = RESULTS) -> str:
    """A line a density: the mean optimum and the share of assignments that remain where errands are blocked."""
    rows = []
    for density in sorted(_tasks(results, "blocked")["density"].unique()):
        here = _tasks(results, "blocked").filter(density=density)
        at = {"density": density}
        optima = [
            _mean(_tasks(results, c).filter(**at, setting=s), "optimal_cost") for s in SETTINGS for c in CONDITIONS
        ]
        share = _mean(here, "feasible_pct")
        rows.append([f"{density:g}", *(figure(o, 2) for o in optima), figure(share, 2)])
    head = ["density", *(f"optimum, {s}, {c}" for s in SETTINGS for c in CONDITIONS), "assignments left, %"]
    return table(head, rows, right=head[1:])


CONDITIONS = ("standard", "blocked")


def _mean(tasks: pl.DataFrame, column: str) -> float:
    """The mean over tasks of a column of means."""
    return float(tasks.select((pl.col(column) * pl.col("tasks")).sum() / pl.col("tasks").sum()).item())


class Exceeding(NamedTuple):
    """How the models' printed excess costs stand to a baseline's: how many lie above it and far above it."""

    setting: str
    baseline: str
    excess: float
    models: int
    above: int
    far_above: int
    largest_ratio: float


def exceeding(f: Figures) -> list[Exceeding]:
    """One row a setting and baseline whose excess the paper prints, cheapest baseline first."""
    rows = []
    for setting in SETTINGS:
        costs = [f["Table 1", setting, model, "excess_cost"] for model in models(f)]
        printed = {
            who: v for (at, s, who, what), v in f.items() if (at, s, what) == (BASELINES, setting, "excess_cost")
        }
        for name, own in sorted(printed.items(), key=lambda pair: pair[1]):
            counts = [sum(cost > times * own for cost in costs) for times in (1, FAR)]
            rows.append(Exceeding(setting, name, own, len(costs), counts[0], counts[1], max(costs) / own))
    return rows


def costs_test(numbers: Path = NUMBERS) -> str:
    """The test's first half: models beyond each baseline, and against which of them that is the rule."""
    baselines = exceeding(figure_values(read_numbers(numbers)))
    head = ["setting", "baseline", "its excess", "models above", f"above {FAR} times", "largest ratio"]
    rows = [
        [r.setting, r.baseline, figure(r.excess, 2), *(f"{n} of {r.models}" for n in (r.above, r.far_above)), ratio]
        for r in baselines
        for ratio in [figure(r.largest_ratio, 2)]
    ]
    beyond = [r for r in baselines if 2 * r.far_above > r.models]
    rule = "; ".join(f"{r.baseline} where costs are {r.setting}, {r.far_above} of {r.models}" for r in beyond)
    note = f"More than half of the models exceed {FAR} times the excess of: {rule or 'no baseline'}."
    return table(head, rows, right=head[2:]) + f"\n\n{note}"


def spread(numbers: Path = NUMBERS) -> str:
    """A line a setting: the least and the largest excess of a model, and their ratio."""
    f = figure_values(read_numbers(numbers))
    rows = []
    for setting in SETTINGS:
        costs = [f["Table 1", setting, model, "excess_cost"] for model in models(f)]
        least, most = min(costs), max(costs)
        rows.append([setting, *(figure(value, 2) for value in (least, most, most - least, most / least))])
    return _right(["setting", "least excess of a model", "largest", "difference", "ratio"], rows)


class Disclosed(NamedTuple):
    """Messages of a setting's probed games that disclosed a label on demand, and a sensitive one among them."""

    setting: str
    messages: int
    leaks: int
    sensitive: int


def disclosed(f: Figures) -> list[Disclosed]:
    """One row a setting, and one for both together."""
    names = ("dms", "induced_leaks", "sensitive_leaks")
    counts = [Disclosed(s, *(round(f[PROBED, s, ALL, name]) for name in names)) for s in SETTINGS]
    return [*counts, Disclosed("both", *(sum(column) for column in zip(*(c[1:] for c in counts), strict=True)))]


def leaks_test(numbers: Path = NUMBERS) -> str:
    """The test's second half: how often probed models disclosed a private label."""
    rates = disclosed(figure_values(read_numbers(numbers)))
    head = ["setting", "messages", "leaked on demand", "%", "of these sensitive", "%"]
    rows = [
        [r.setting, f"{r.messages:,}", str(r.leaks), _share(r.leaks, r), str(r.sensitive), _share(r.sensitive, r)]
        for r in rates
    ]
    *_, both = rates
    rest = f"Of a thousand messages {figure(1000 * both.leaks / both.messages, 1)} disclosed something"
    sensitive = f"{figure(1000 * both.sensitive / both.messages, 1)} something sensitive"
    return _right(head, rows) + f"\n\n{rest}, {sensitive}."


def _share(count: int, of: Disclosed) -> str:
    return figure(100 * count / of.messages, 3)


def _right(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return table(head, rows, right=head[1:])
