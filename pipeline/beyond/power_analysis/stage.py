"""How many games are enough, and what they cost: `python -m pipeline.beyond.power_analysis.stage`."""

import re
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl

from pipeline import beyond
from pipeline.beyond.power_analysis.components import MEASURES, MissingGames, aligned, scores, standard_games
from pipeline.beyond.power_analysis.power import Aim, Checking, component_row, pair_rows, power_rows
from pipeline.beyond.power_analysis.schemas import (
    ENOUGH_COMPONENTS,
    ENOUGH_CURVE,
    ENOUGH_MONEY,
    ENOUGH_PAIRS,
    ENOUGH_POWER,
    ENOUGH_SUBSUITE,
)
from pipeline.beyond.power_analysis.subsuite import curve_rows, pairs_of, repeat_of, subsuite_row
from pipeline.paper.costs import price_calls, read_prices
from pipeline.tables.io import read_table, write_rows, write_table
from pipeline.tables.paths import TABLES

LINE = re.compile(r"^(\S+): (\d+) games, about (\d+) calls \(.*?\), (\d+) tokens in, (\d+) out", re.MULTILINE)
HOW = re.compile(r"^estimated by .*$", re.MULTILINE)

ALL = "all"
Row = dict[str, Any]


class NoEstimate(ValueError):
    """The text holds no estimate."""


@dataclass(frozen=True)
class Estimate:
    """What one game takes: calls, tokens in and out; and how that was estimated."""

    calls: float
    input_tokens: float
    output_tokens: float
    how: str


def read_estimate(text: str) -> Estimate:
    """The estimate that `python -m sim run … --dry-run` printed, for one game. Raises NoEstimate."""
    line, how = LINE.search(text), HOW.search(text)
    if not line or not how:
        raise NoEstimate("it holds no estimate: make it with `python -m sim run … --dry-run` and a model's team")
    games, calls, tokens_in, tokens_out = (int(number) for number in line.groups()[1:])
    return Estimate(calls / games, tokens_in / games, tokens_out / games, how[0])


def game_prices(estimate: Estimate, prices: pl.DataFrame) -> pl.DataFrame:
    """One row a model with a known price: what one game takes of it. prices: of `read_prices`."""
    calls = prices.select(
        "model",
        input_tokens=pl.lit(estimate.input_tokens),
        output_tokens=pl.lit(estimate.output_tokens),
        cached_input_tokens=pl.lit(None, pl.Int64),
    )
    priced = price_calls(calls, prices).filter("price_known")
    return priced.select("model", "input_tokens", "output_tokens", "usd", "dated", estimated=pl.lit(estimate.how))


def games_of(tables: Path, repeats: Path, protocols: list[str]) -> pl.DataFrame:
    """The protocols' games of the study, and the simulated styles' games of several repeats."""
    study, repeated = (
        standard_games(read_table(folder, "games"), read_table(folder, "game_summary")) for folder in (tables, repeats)
    )
    return pl.concat([study.filter(pl.col("team").is_in(protocols)), repeated]).sort("team", "task_id", "repeat")


def with_prices(rows: list[Row], money: pl.DataFrame) -> list[Row]:
    """The rows of enough_power with the games, tokens and money that they take. money: of `game_prices`."""
    if not rows:
        return []
    powers = pl.DataFrame(rows, infer_schema_length=None).with_columns(games=2 * pl.col("tasks") * pl.col("repeats"))
    per_game = {
        "input_tokens": money["input_tokens"][0],
        "output_tokens": money["output_tokens"][0],
        "usd_least": money["usd"].min(),
        "usd_most": money["usd"].max(),
    }
    priced = powers.with_columns((pl.col("games") * amount).alias(name) for name, amount in per_game.items())
    return priced.rows(named=True)


def write_powers(rows: pl.DataFrame, p: dict[str, Any], money: pl.DataFrame, out: Path) -> None:
    """Write what tells two teams apart; a group of which fewer than two teams have played has no rows."""
    test, checking = Aim(p["alpha"], p["power"], p["most_tasks"]), Checking(p["draws"], p["most_simulated"])
    parts: list[Row] = []
    power: list[Row] = []
    pairs: list[Row] = []
    for setting, measure in product(sorted(rows["setting"].unique()), MEASURES):
        all_scores, key = scores(rows, setting, measure), {"setting": setting, "measure": measure}
        for group, teams in p["groups"].items():
            group_scores, differences = all_scores.of(teams), p["differences"][setting][measure]
            if not group_scores.comparable:
                continue
            parts.append(key | component_row(group_scores, group))
            power += [key | r for r in power_rows(group_scores, group, differences, p["repeats"], test, checking)]
        if all_scores.comparable:
            pairs += [key | r for r in pair_rows(all_scores, p["pair_repeats"], test, checking)]
    write_rows(parts, ENOUGH_COMPONENTS, out)
    write_rows(with_prices(power, money), ENOUGH_POWER, out)
    write_rows(pairs, ENOUGH_PAIRS, out)


def write_subsuites(rows: pl.DataFrame, p: dict[str, Any], out: Path) -> None:
    """Write which tasks keep the ranking; where there is none to keep, no rows."""
    small: list[Row] = []
    curve: list[Row] = []
    for setting in sorted(rows["setting"].unique()):
        measured = [scores(rows, setting, measure) for measure in MEASURES]
        for name, chosen in [*((s.measure, [s]) for s in measured), (ALL, aligned(measured))]:
            if not any(pairs_of(repeat_of(s, 0)) for s in chosen):
                continue
            key, sizes = {"setting": setting, "measure": name}, range(1, len(chosen[0].tasks) + 1)
            small.append(key | subsuite_row(chosen, p["subsets"], p["seconds"]))
            curve += [key | r for r in curve_rows(chosen, sizes, p["subsets"])]
    write_rows(small, ENOUGH_SUBSUITE, out)
    write_rows(curve, ENOUGH_CURVE, out)


def main(tables: Path = TABLES, repeats: Path = beyond.DERIVED / "enough", out: Path = beyond.TABLES) -> None:
    p = beyond.params("enough")
    rows = games_of(tables, repeats, p["groups"]["protocols"])
    money = game_prices(read_estimate(Path(p["estimate"]).read_text(encoding="utf-8")), read_prices())
    write_powers(rows, p, money, out)
    write_table(money, ENOUGH_MONEY, out, csv=False)
    write_subsuites(rows, p, out)


def run() -> None:
    """The command line. Where games are missing, one line says which, and what to play."""
    try:
        main()
    except MissingGames as missing:
        sys.exit(f"error: {missing}. Let it play what is missing, and derive that: docs/beyond/enough.md says how")


if __name__ == "__main__":
    run()
