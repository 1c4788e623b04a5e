"""Games with liars and probers to what they gain and cost: `python -m pipeline.beyond.strategy.stage`."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from pipeline import beyond
from pipeline.beyond import DERIVED, params
from pipeline.beyond.strategy.outcomes import agents_of, bits_about, effects, outcomes, probed_games, probers
from pipeline.beyond.strategy.play import CHOSEN, REPORTED, liars
from pipeline.beyond.strategy.schemas import EFFECTS, OUTCOMES, PRICES, PROBERS, RESPONSES
from pipeline.beyond.strategy.search import costs_of, gains, lies_of, priced, responses
from pipeline.statistics.resampling import Resampling
from pipeline.tables import paths
from pipeline.tables.io import write_table


def main(derived: Path = DERIVED / "strategy", truthful: Path = paths.TABLES, out: Path = beyond.TABLES) -> None:
    p, resampling = params("strategy"), Resampling(**paths.params("intervals"))
    lying = [lie.team for lie, _ in liars(p) if lie.lie in p["bits"]]
    games = outcomes(agents_with_bits(derived, lying), agents_with_bits(truthful, p["protocols"]))
    space = p["responses"]
    chosen, reported = (gains(costs_of(folder)) for folder in (CHOSEN, REPORTED))
    lies = [name for name, _ in lies_of(space, "varied")]
    frames = {
        OUTCOMES: games,
        EFFECTS: effects(games, p["missed"], resampling),
        RESPONSES: responses(chosen, reported, lies, resampling),
        PRICES: priced(chosen, reported, lies, space["prices"], space["draws"], resampling),
        PROBERS: probers(probed_games(derived), resampling),
    }
    for table, frame in frames.items():
        print(f"{write_table(frame, table, out, csv=False)['rows']} rows in {table.name}")


def agents_with_bits(tables: Path, teams: Sequence[str]) -> pl.DataFrame:
    """One row per game and agent of a folder of derived tables, as of `agents_of`; bits in games of the teams alone."""
    bits = bits_about(tables, teams, params("leakage"))
    return agents_of(tables).join(bits, on=["game_id", "agent"], how="left", maintain_order="left")


if __name__ == "__main__":
    main()
