"""Belief evidence to VPS under other constants: who leads, how orders agree, and every pair that flips."""

from pathlib import Path

from pipeline.privacy.rules import Weighing
from pipeline.statistics.by_game import team_groups
from pipeline.statistics.resampling import Resampling
from pipeline.statistics.robustness import ordering
from pipeline.statistics.robustness.sweep import Grid, sweep_inputs, sweep_vps
from pipeline.tables.paths import RESULTS, TABLES, params
from pipeline.tables.queries import write_result

HEADLINE = {"weight_mode": "uniform", "pairs": "observed"}  # Table 1's


def main(tables: Path = TABLES, results: Path = RESULTS) -> None:
    swept, chosen = params("robustness"), params("vps")
    grid = Grid(swept["rules"], swept["priors"], swept["epsilons"])
    choice = {name: chosen[name] for name in ("rules", "prior", "epsilon")} | HEADLINE
    at, points = ordering.point_index(grid.points(), choice), ordering.with_changes(grid.points(), choice)
    inputs = sweep_inputs(tables, swept["condition"])
    teams = team_groups(inputs.games, params("teams"))
    standings = ordering.standings(
        sweep_vps(inputs, grid, Weighing(weight_cap=chosen["weight_cap"])),
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


if __name__ == "__main__":
    main()
