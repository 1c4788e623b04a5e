"""A folder of derived tables to all measures of leakage: statements, bits of pairs, coalitions, disclosures."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from pipeline.beyond.leakage.coalitions import pooled
from pipeline.beyond.leakage.disclosures import disclosures
from pipeline.beyond.leakage.gains import Array
from pipeline.beyond.leakage.histories import Histories, histories
from pipeline.beyond.leakage.leaked import additions, leaked
from pipeline.beyond.leakage.observed_statements import observed_statements
from pipeline.beyond.leakage.priors import Prior, prior_of
from pipeline.privacy.beliefs import ratio
from pipeline.tables.io import read_table

READ = ("games", "rounds", "items", "moves", "messages", "belief_evidence")
Tables = Mapping[str, pl.DataFrame]


class Leakage(NamedTuple):
    """Frames of one folder's games, sorted by their keys."""

    pairs: pl.DataFrame
    coalitions: pl.DataFrame
    rounds: pl.DataFrame


def read_tables(folder: Path) -> dict[str, pl.DataFrame]:
    """The derived tables that leakage is measured from. Raises FileNotFoundError or ValueError where one is missing."""
    return {name: read_table(folder, name) for name in READ}


def leakage(tables: Tables, settings: Mapping[str, Any]) -> Leakage:
    """The leakage of all games, setting by setting, under the priors of `settings`."""
    found = [_of_setting(part, prior, settings) for _, part, prior in of_settings(tables, settings)]
    keys = (["game_id", "round", "observer_agent", "target_agent"], ["game_id", "coalition", "target_agent"])
    sorts = (*keys, ["game_id", "round"])
    return Leakage(*(pl.concat(frames).sort(key) for frames, key in zip(zip(*found, strict=True), sorts, strict=True)))


def of_settings(tables: Tables, settings: Mapping[str, Any]) -> Iterator[tuple[str | None, Tables, Prior]]:
    """Each setting of the tables: its name, its games' rows of all tables, its prior. Of no games one of no name."""
    for setting in tables["games"]["setting"].unique().sort(nulls_last=True).to_list() or [None]:
        games = tables["games"].filter(pl.col("setting").eq_missing(pl.lit(setting)))
        part = {"games": games} | {
            name: frame.join(games, on="game_id", how="semi", maintain_order="left")
            for name, frame in tables.items()
            if name != "games"
        }
        slots = int((games["num_agents"] * games["num_slots"]).sum())
        yield setting, part, prior_of(setting, part["items"], slots, settings)


def statements(tables: Tables, prior: Prior, figures: bool = False) -> tuple[Histories, pl.DataFrame, Array]:
    """What was told in one setting's games: what every slot held, statements, and the likelihood of each content."""
    past = histories(tables["games"], tables["rounds"], tables["items"], tables["moves"], prior.states)
    facts, contents = observed_statements(tables["messages"], tables["belief_evidence"], past, prior.states, figures)
    return past, facts, contents.likelihoods


def _of_setting(tables: Tables, prior: Prior, settings: Mapping[str, Any]) -> Leakage:
    least = settings["least"]
    past, facts, likelihoods = statements(tables, prior)
    pairs, slots = leaked(facts, likelihoods, prior, least)
    together = pooled(facts, tables["games"], pairs, likelihoods, prior, least, settings["pairs_up_to"])
    return Leakage(pairs, together, disclosures(tables["rounds"], pairs, slots, past, prior))


def with_figures(tables: Tables, settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per game: its `bits` and `bits_true` had each cost that English names in figures been believed."""
    measures = {"bits": "bits_with_figures", "bits_true": "bits_true_with_figures"}
    parts = []
    for _, part, prior in of_settings(tables, settings):
        _, facts, likelihoods = statements(part, prior, figures=True)
        added = additions(facts, likelihoods, prior, settings["least"])
        parts.append(over_pairs(added, part["games"], list(measures)).rename(measures))
    return pl.concat(parts)


def over_pairs(added: pl.DataFrame, games: pl.DataFrame, measures: Sequence[str]) -> pl.DataFrame:
    """One row per game: what rounds added (of `additions`), summed, as the mean over all ordered pairs of agents."""
    lists = added.group_by("game_id", maintain_order=True).agg(measures)
    agents = pl.col("num_agents")
    rows = games.select("game_id", pairs=agents * (agents - 1)).join(lists, on="game_id", how="left")
    means = (ratio(pl.col(name).list.sum().fill_null(0.0), pl.col("pairs")).alias(name) for name in measures)
    return rows.select("game_id", *means).sort("game_id")
