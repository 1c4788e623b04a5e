"""The suites of larger worlds: the grid of sizes, its list of tasks, and what is known of each task's optimum.

`python -m pipeline.beyond.worlds_suites` writes the list.
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from math import ceil
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl

from pipeline.beyond import params
from pipeline.tables.io import write_csv
from sim.calendar import Calendar, Errand
from sim.tasks.oracle import placements, slot_cliques
from sim.tasks.scenario import Meeting

LIST = Path("data/beyond/suites/worlds.csv")
SIZES = ("num_agents", "num_participants", "num_slots", "num_meetings", "density")
NODES = 10_000  # of a search, so that it ends with the same answer at any load; the grid's tasks take under a hundred
ROUNDING = 1e-6
COSTS = {"uniform": "", "varied": "1;100;1000"}


def cells(p: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(sweep, sizes) of each cell, in the order of the parameters; the base's own cell comes in every sweep.

    p: the `worlds` block of notebooks/beyond/params.yaml.
    """
    for sweep, changes in p["sweeps"].items():
        yield from ((sweep, p["base"] | change) for change in changes)


def cell_name(sizes: Mapping[str, Any]) -> str:
    """A cell's name, such as 10a_3p_32s_10m_d0p6."""
    agents, participants, slots, meetings, density = (sizes[name] for name in SIZES)
    return f"{agents}a_{participants}p_{slots}s_{meetings}m_d{density:g}".replace(".", "p")


def seed_of(name: str) -> int:
    """The seed of a name: the first four bytes of its SHA-256."""
    return int.from_bytes(sha256(name.encode()).digest()[:4])


def tasks(p: Mapping[str, Any]) -> pl.DataFrame:
    """One row per task, as `python -m sim suite` reads lists; a cell that several sweeps share comes once."""
    rows = {}
    for _, sizes in cells(p):
        for setting in p["settings"]:
            for number in range(1, p["seeds"] + 1):
                task = f"{cell_name(sizes)}_{setting}_{number}"
                seed = seed_of(f"{p['name']}:{task}")
                row = {"setting": setting, "task_id": task, "seed": seed, **{name: sizes[name] for name in SIZES}}
                rows[task] = row | {"difficulty": "unranked", "errand_cost_values": COSTS[setting]}
    return pl.DataFrame(list(rows.values()))


def least_cost(task: Mapping[str, Any]) -> int | None:
    """The cost of a task's cheapest schedule, proven; None where NODES were too few, or there is no schedule.

    task: a line of a suite's file.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp  # type: ignore[import-untyped]

    meetings = [Meeting(id=m["id"], participants=tuple(m["participants"])) for m in task["meetings"]]
    options = placements([_calendar(slots) for slots in task["calendars"]], meetings)
    if not all(options):
        return None
    variables = [(m, slot) for m, option in enumerate(options) for slot in option]
    costs = np.array([options[m][slot].cost for m, slot in variables], dtype=np.int64)
    # Each meeting takes one slot; no agent is in two meetings of a slot.
    cliques = [set(clique) for clique in slot_cliques(meetings)]
    one_slot = [[i for i, (m, _) in enumerate(variables) if m == meeting] for meeting in range(len(meetings))]
    one_meeting = [
        [i for i, (m, s) in enumerate(variables) if s == slot and m in clique]
        for clique in cliques
        for slot in sorted({s for _, s in variables})
    ]
    solution = milp(
        costs,
        integrality=np.ones(len(variables)),
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(_indicators(one_slot, len(variables)), 1, 1),
            LinearConstraint(_indicators(one_meeting, len(variables)), 0, 1),
        ],
        options={"mip_rel_gap": 0.0, "node_limit": NODES},
    )
    if solution.x is None or solution.mip_dual_bound is None:
        return None
    cost = int(costs @ np.rint(solution.x).astype(np.int64))
    return cost if ceil(solution.mip_dual_bound - ROUNDING) >= cost else None


def _indicators(members: Sequence[Sequence[int]], width: int) -> np.typing.NDArray[np.float64]:
    """Groups × width: 1 at each member of the group, else 0."""
    rows = np.zeros((len(members), width))
    for row, group in zip(rows, members, strict=True):
        row[group] = 1
    return rows


def _calendar(slots: Sequence[Mapping[str, Any] | None]) -> Calendar:
    return Calendar([Errand(i["errand_id"], i["cost"], i.get("blocked", False)) if i else None for i in slots])


def suite_tasks(path: Path) -> pl.DataFrame:
    """One row per task of a suite's file: worlds_tasks, and the fewest and most errands of a calendar."""
    rows = []
    for line in path.read_bytes().splitlines():
        task = msgspec.json.decode(line)
        fills = [sum(item is not None for item in calendar) for calendar in task["calendars"]]
        best, bound = known_optimum(task)
        sizes = {name: task[name] for name in ("task_id", "setting", *SIZES)}
        rows.append(
            sizes
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
    """(cost of the cheapest schedule known, a cost that none is below): the optimum twice where it is proven.

    What the suite's own search left open is tried once more, by another solver.
    """
    best, bound = task["optimal"]["cost"], task.get("optimal_bound")
    if bound is None:
        return best, best
    least = least_cost(task)
    return (best, bound) if least is None else (least, least)


def main(out: Path = LIST) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    listed = tasks(params("worlds"))
    write_csv(listed, out)
    print(f"{listed.height} tasks in {out}")


if __name__ == "__main__":
    main()
