"""Suites of tasks as tables: sizes, fill, and how far the optimum is known."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from pipeline.beyond.worlds.grid import SIZES
from pipeline.beyond.worlds.proofs import least_cost


def suite_tasks(path: Path) -> pl.DataFrame:
    """One row per task of a suite's file: the columns of `worlds_tasks`, and the fewest and most errands."""
    rows = []
    for line in path.read_bytes().splitlines():
        task = msgspec.json.decode(line)
        fills = [sum(item is not None for item in calendar) for calendar in task["calendars"]]
        best, bound = known_optimum(task)
        known = {name: task[name] for name in ("task_id", "setting", *SIZES)}
        rows.append(
            known
            | {
                "errands": sum(fills) / len(fills),
                "least_errands": min(fills),
                "most_errands": max(fills),
                "best_cost": best,
                "bound": bound,
                "proven": bound == best,
                "greedy_excess": task["greedy"]["cost"] - best,
            }
        )
    return pl.DataFrame(rows)


def known_optimum(task: Mapping[str, Any]) -> tuple[int, int]:
    """The cost of the cheapest schedule known, and a cost that none is below; the optimum twice where it is proven.

    What the suite's search left open is tried once more, by another solver.
    """
    best, bound = task["optimal"]["cost"], task.get("optimal_bound")
    if bound is None:
        return best, best
    least = least_cost(task)
    return (best, bound) if least is None else (least, least)
