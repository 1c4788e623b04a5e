"""Optima that the suite's search could not prove: branch and bound on the linear relaxation (HiGHS, by scipy).

In crowded worlds the relaxation is nearly whole, and what CP-SAT leaves open is closed in seconds.
"""

from collections.abc import Mapping, Sequence
from math import ceil
from typing import Any

import numpy as np

from sim.calendar import Calendar, Errand
from sim.tasks.oracle import placements, slot_cliques
from sim.tasks.scenario import Meeting

NODES = 10_000  # of a search, so that it ends with the same answer at any load; the grid's tasks take under a hundred
ROUNDING = 1e-6


def least_cost(task: Mapping[str, Any]) -> int | None:
    """The cost of a task's cheapest schedule, proven; None where NODES were too few, or there is no schedule.

    task: a line of a suite's file.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp  # type: ignore[import-untyped]

    meetings = [Meeting(id=m["id"], participants=tuple(m["participants"])) for m in task["meetings"]]
    options = placements([_calendar(slots) for slots in task["calendars"]], meetings)
    if not all(options):
        return None
    places = [(m, slot) for m, option in enumerate(options) for slot in option]
    costs = np.array([options[m][slot].cost for m, slot in places], dtype=np.int64)
    # Each meeting takes one place; no agent is in two meetings of a slot.
    cliques = [set(clique) for clique in slot_cliques(meetings)]
    exactly = [[i for i, (m, _) in enumerate(places) if m == meeting] for meeting in range(len(meetings))]
    at_most = [
        [i for i, (m, s) in enumerate(places) if s == slot and m in clique]
        for clique in cliques
        for slot in sorted({s for _, s in places})
    ]
    found = milp(
        costs,
        integrality=np.ones(len(places)),
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(_rows(exactly, len(places)), 1, 1),
            LinearConstraint(_rows(at_most, len(places)), 0, 1),
        ],
        options={"mip_rel_gap": 0.0, "node_limit": NODES},
    )
    if found.x is None or found.mip_dual_bound is None:
        return None
    cost = int(costs @ np.rint(found.x).astype(np.int64))
    return cost if ceil(found.mip_dual_bound - ROUNDING) >= cost else None


def _rows(members: Sequence[Sequence[int]], width: int) -> np.typing.NDArray[np.float64]:
    """A row a group of places, 1 at each."""
    rows = np.zeros((len(members), width))
    for row, places in zip(rows, members, strict=True):
        row[places] = 1
    return rows


def _calendar(slots: Sequence[Mapping[str, Any] | None]) -> Calendar:
    return Calendar([Errand(i["errand_id"], i["cost"], i.get("blocked", False)) if i else None for i in slots])
