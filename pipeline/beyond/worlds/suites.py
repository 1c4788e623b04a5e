"""Suites of tasks as tables: sizes, fill, and how far the optimum is known."""

from pathlib import Path

import msgspec
import polars as pl

from pipeline.beyond.worlds.grid import SIZES


def suite_tasks(path: Path) -> pl.DataFrame:
    """One row per task of a suite's file: the columns of `worlds_tasks`, and the fewest and most errands."""
    rows = []
    for line in path.read_bytes().splitlines():
        task = msgspec.json.decode(line)
        fills = [sum(item is not None for item in calendar) for calendar in task["calendars"]]
        best, bound = task["optimal"]["cost"], task.get("optimal_bound")
        known = {name: task[name] for name in ("task_id", "setting", *SIZES)}
        rows.append(
            known
            | {
                "errands": sum(fills) / len(fills),
                "least_errands": min(fills),
                "most_errands": max(fills),
                "best_cost": best,
                "bound": best if bound is None else bound,
                "proven": bound is None,
                "greedy_excess": task["greedy"]["cost"] - best,
            }
        )
    return pl.DataFrame(rows)
