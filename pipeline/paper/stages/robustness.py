"""VPS under other constants and other readings of English: who leads, how orders agree, and every pair that flips."""

from pathlib import Path
from typing import Any

import polars as pl

from pipeline.privacy.rules import chosen_rules, chosen_weighing
from pipeline.statistics.by_game import team_groups
from pipeline.statistics.resampling import Resampling
from pipeline.statistics.robustness import ordering
from pipeline.statistics.robustness.sweep import (
    Grid,
    english_tables,
    read_condition,
    sweep_inputs,
    sweep_vps,
    vps_by_english,
)
from pipeline.tables.paths import RESULTS, TABLES, params
from pipeline.tables.queries import write_result

HEADLINE = {"weight_mode": "uniform", "pairs": "observed"}  # Table 1's


def main(tables: Path = TABLES, results: Path = RESULTS) -> None:
    swept, chosen = params("robustness"), params("vps")
    grid = Grid(
        with_choice(swept["rules"], chosen["rules"]),
        with_choice(swept["priors"], chosen["prior"]),
        with_choice(swept["epsilons"], chosen["epsilon"]),
    )
    choice = {name: chosen[name] for name in ("rules", "prior", "epsilon")} | HEADLINE
    at, points = ordering.point_index(grid.points(), choice), ordering.with_changes(grid.points(), choice)
    inputs = sweep_inputs(tables, swept["condition"])
    teams = team_groups(inputs.games, params("teams"))
    standings = ordering.standings(
        sweep_vps(inputs, grid, chosen_weighing(chosen)),
        inputs.games,
        Resampling(**params("intervals")),
    )
    for name, table in (
        ("robustness", ordering.means_table(points, standings)),
        (
            "robustness_ranks",
            ordering.agreement_table(points, standings, teams, at),
        ),
        ("robustness_flips", ordering.flips_table(points, standings, at, swept["draws"], swept["seed"])),
    ):
        print(write_result(table, name, results))
    for name, table in english(tables).items():
        print(write_result(table, name, results))


def english(tables: Path) -> dict[str, pl.DataFrame]:
    """The tables of how English is read: by each of params.yaml's readings, all else as the study has it."""
    swept, chosen = params("robustness"), params("vps")
    frames = read_condition(tables, swept["condition"])
    names = list(dict.fromkeys([*swept["english"], chosen["english"]]))
    vps = vps_by_english(
        frames,
        names,
        chosen_rules(chosen),
        chosen_weighing(chosen),
    )
    how = Resampling(**params("intervals")), swept["draws"], swept["seed"]
    groups = team_groups(frames["games"], params("teams"))
    return english_tables(vps, frames["games"], names, chosen["english"], groups, how)


def with_choice(values: list[Any], chosen: Any) -> list[Any]:
    """The values to sweep over, and the study's own choice where it is not among them."""
    return values if chosen in values else sorted([*values, chosen])


if __name__ == "__main__":
    main()
