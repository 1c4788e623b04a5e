"""The list of the grid's tasks, each from a seed with a name: `python -m pipeline.beyond.worlds.grid`."""

import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.beyond import params
from pipeline.tables.io import write_csv

LIST = Path("data/beyond/suites/worlds.csv")
SIZES = ("num_agents", "num_participants", "num_slots", "num_meetings", "density")
COSTS = {"uniform": "", "varied": "1;100;1000"}


def cells(p: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(sweep, sizes) of each cell, in the order of the parameters; the base's own cell comes in every sweep."""
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
                listed = {"setting": setting, "task_id": task, "seed": seed, **{name: sizes[name] for name in SIZES}}
                rows[task] = listed | {"difficulty": "unranked", "errand_cost_values": COSTS[setting]}
    return pl.DataFrame(list(rows.values()))


def main(out: Path = LIST) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    listed = tasks(params("worlds"))
    write_csv(listed, out)
    print(f"{listed.height} tasks in {out}")


if __name__ == "__main__":
    if len(sys.argv) != 1:
        sys.exit("usage: python -m pipeline.beyond.worlds.grid")
    main()
