"""The figures that docs/benchmarks.md and docs/scale.md quote, built from the results of `make bench`."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.reports.documents.markdown import table

MEASURED = Path("docs/benchmarks.json")

Figure = Mapping[str, Any]  # what bench/measure.py declares
# The unit of what a game takes → how much a thousand and ten million games take, in other units.
A_GAME = {"KB a game": ((1, "MB"), (10, "GB")), "ms a game": ((1, "core seconds"), (1e4 / 3_600, "core hours"))}


def machines(measured: Path = MEASURED) -> str:
    """A line a machine and day on which something was measured."""
    names: dict[str, list[str]] = {}
    for name, work in _works(measured).items():
        names.setdefault(work["machine"], []).append(name)
    return "\n".join(f"- {machine} ({', '.join(of)})" for machine, of in names.items())


def figures(measured: Path = MEASURED) -> str:
    """A line a figure: its target, its value, its bound, how many times the bound it takes, and whether it is met."""
    head = ("work", "target", "measured", "bound", "× bound", "met")
    return table(head, [figure_row(figure) for figure in _figures(measured)], right=(head[2], head[4]))


def a_game(measured: Path = MEASURED) -> str:
    """What a thousand baseline games take, and ten million."""
    rows = []
    for figure in _figures(measured):
        if sizes := A_GAME.get(figure["unit"]):
            rows.append((figure["what"], *(f"{number(figure['value'] * factor)} {unit}" for factor, unit in sizes)))
    head = ("what", "a thousand games", "ten million games")
    return table(head, rows, right=head[1:])


def figure_row(figure: Figure) -> tuple[str, ...]:
    """The cells of a figure's line in the table of `figures`."""
    value, unit, limit, bound = (figure[name] for name in ("value", "unit", "limit", "bound"))
    target, met = limit or "", ""
    if isinstance(limit, float):
        target, met = f"≤ {number(limit)} {unit}", "yes" if value <= limit else "**no**"
    least, times = (f"{figure['of']}: {number(bound)} s", number(figure["times"])) if bound else ("", "")
    return (figure["what"], target, f"{number(value)} {unit}", least, times, met)


def number(value: float) -> str:
    """A number at three significant figures; from 100 on as a whole number."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _works(measured: Path) -> dict[str, Any]:
    works: dict[str, Any] = json.loads(measured.read_text(encoding="utf-8"))
    return works


def _figures(measured: Path) -> Iterator[Figure]:
    for work in _works(measured).values():
        yield from work["figures"]
