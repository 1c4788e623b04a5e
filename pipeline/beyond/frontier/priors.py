"""How shares of the baseline's bits hang on the prior: the candidates' games, measured under others."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.beyond.frontier.games import bits_of
from pipeline.beyond.frontier.inferences import bits_with_inferences
from pipeline.beyond.leakage.measure import Tables, read_tables


def priors(settings: Mapping[str, Any]) -> Iterator[tuple[float, float]]:
    """(P(feasible), share of feasible slots with an errand): the stated ones, and each of the others in turn."""
    stated, others = (settings["feasible"], settings["filled"]), settings["sensitivity"]
    changed = [(f, stated[1]) for f in others["feasible"]] + [(stated[0], f) for f in others["filled"]]
    yield from dict.fromkeys([stated, *changed])


def games_of_teams(folders: Mapping[Path, Sequence[str]]) -> dict[str, pl.DataFrame]:
    """The tables of some teams' standard games, from several folders of derived tables."""
    parts = []
    for folder, teams in folders.items():
        read = read_tables(folder)
        games = read["games"].filter(pl.col("team").is_in(teams), condition="standard")
        others = {n: f.join(games, on="game_id", how="semi", maintain_order="left") for n, f in read.items()}
        parts.append(others | {"games": games})
    return {name: pl.concat([part[name] for part in parts]) for name in parts[0]}


def by_prior(tables: Tables, baseline: str, settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per prior, setting and team: frontier_priors."""
    found = []
    for feasible, filled in priors(settings):
        beliefs = {**settings, "feasible": feasible, "filled": filled}
        more = bits_with_inferences(tables, beliefs).rename({"bits": "bits_concluded"})
        games = bits_of(tables, beliefs).join(more, on="game_id")
        means = games.group_by("setting", "team").agg(pl.col("bits", "bits_concluded").sort().mean())
        base = means.filter(team=baseline).select("setting", base="bits")
        shares = means.join(base, on="setting").with_columns(
            share=pl.col("bits") / pl.col("base"), share_concluded=pl.col("bits_concluded") / pl.col("base")
        )
        found.append(shares.with_columns(feasible=pl.lit(feasible), filled=pl.lit(filled)))
    return pl.concat(found)
