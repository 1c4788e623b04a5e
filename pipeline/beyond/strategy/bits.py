"""Bits that messages carry about each agent, for games of some teams: as pipeline.beyond.leakage measures them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.beyond.leakage.leaked import leaked
from pipeline.beyond.leakage.measure import of_settings, read_tables, statements

SUMS = {"bits": pl.Float64, "bits_true": pl.Float64}


def bits_about(tables: Path, teams: Sequence[str], settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per game of the teams and agent: the bits about it that all others hold at the end, added up.

    bits: what their beliefs moved by; bits_true: towards what is so, below 0 where they are misled.
    settings: the `leakage` block of notebooks/beyond/params.yaml.
    """
    read = read_tables(tables)
    games = read["games"].filter(pl.col("team").is_in(list(teams)), condition="standard")
    some = {n: frame.join(games, on="game_id", how="semi", maintain_order="left") for n, frame in read.items()}
    found = []
    for _, part, prior in of_settings(some, settings):
        _, facts, likelihoods = statements(part, prior)
        pairs, _ = leaked(facts, likelihoods, prior, settings["least"])
        found.append(pairs.select("game_id", "target_agent", *(pl.col(f"new_{name}").alias(name) for name in SUMS)))
    lists = pl.concat(found).sort("game_id", "target_agent").group_by("game_id", "target_agent", maintain_order=True)
    known = lists.agg(*SUMS).with_columns(pl.col(*SUMS).list.sum()).rename({"target_agent": "agent"})
    agents = games.select("game_id", agent=pl.int_ranges(pl.col("num_agents"))).explode("agent")
    return agents.join(known, on=["game_id", "agent"], how="left").with_columns(pl.col(*SUMS).fill_null(0.0))
