"""Leakage in bits of one game, and of all games in a folder of tables."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from pipeline.beyond.leakage.disclosures import disclosures
from pipeline.beyond.leakage.gains import Array, Prior, additions, leaked, pooled, prior_of
from pipeline.beyond.leakage.histories import Histories, histories
from pipeline.beyond.leakage.observed_statements import observed_statements
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


KNOWN = ("team", "simulated", "setting", "condition", "task_id")
CERTIFIED = ("to_initiator_bits", "disclosed_bits", "necessary_bits", "excess_bits", "excess_disclosed_bits")


def by_game(found: Leakage, games: pl.DataFrame) -> pl.DataFrame:
    """One row per game, also for games in which nothing was told; means over pairs are over all ordered pairs."""
    pairs = pl.col("num_agents") * (pl.col("num_agents") - 1)
    rows = games.select("game_id", *KNOWN, "num_agents", "rounds", pairs=pairs, pair_rounds=pl.col("rounds") * pairs)
    for part in (_of_pairs(found.pairs), _of_coalitions(found.coalitions), _of_rounds(found.rounds)):
        rows = rows.join(part, on="game_id", how="left", maintain_order="left")
    zero = ("^round_.*$", "^total_.*$", "touched", "^of_.*$", "^certif.*$")
    return _means(rows.with_columns(pl.col(*zero).fill_null(0))).sort("game_id")


def _of_pairs(pairs: pl.DataFrame) -> pl.DataFrame:
    """The sums over a game's pairs and rounds: `round_` of each round alone, `total_` of all rounds together."""
    alone = {f"round_{name}": pl.col(name) for name in ("bits", "feasible_bits")}
    whole = {
        f"total_{name}": pl.col(f"new_{name}")
        for name in ("bits", "feasible_bits", "bits_true", "feasible_bits_true", "misled")
    }
    lists = pairs.group_by("game_id", maintain_order=True).agg(**alone, **whole, touched=pl.len().cast(pl.Int64))
    return lists.with_columns(pl.col(*alone, *whole).list.sum())


def _of_coalitions(coalitions: pl.DataFrame) -> pl.DataFrame:
    """The sums over a game's targets of what all others know together, and over targets and pairs of observers."""
    lists = coalitions.group_by("game_id", maintain_order=True).agg(
        of_two=pl.col("bits").filter(pl.col("members") == 2),
        of_all=pl.col("bits").filter(pl.col("everybody")),
        of_best=pl.col("best_member_bits").filter(pl.col("everybody")),
        of_each=pl.col("members_bits").filter(pl.col("everybody")),
    )
    return lists.with_columns(pl.exclude("game_id").list.sum())


def _of_rounds(rounds: pl.DataFrame) -> pl.DataFrame:
    """The sums over a game's rounds whose slot can be certified."""
    lists = rounds.group_by("game_id", maintain_order=True).agg(
        *(pl.col(name).filter(pl.col("certifiable")) for name in CERTIFIED),
        certifiable_rounds=pl.col("certifiable").sum().cast(pl.Int64),
        certified_rounds=(pl.col("certifiable") & pl.col("certified")).sum().cast(pl.Int64),
    )
    return lists.with_columns(pl.col(CERTIFIED).list.sum())


def _means(rows: pl.DataFrame) -> pl.DataFrame:
    """The sums made into means: of a pair, of a pair and round, of a touched pair and round, of a target."""
    agents = pl.col("num_agents")
    two = agents * (agents - 1) * (agents - 2) / 2
    certifiable = pl.col("certifiable_rounds")
    measures = {
        "bits": ratio(pl.col("total_bits"), pl.col("pairs")),
        "feasible_bits": ratio(pl.col("total_feasible_bits"), pl.col("pairs")),
        "bits_true": ratio(pl.col("total_bits_true"), pl.col("pairs")),
        "feasible_bits_true": ratio(pl.col("total_feasible_bits_true"), pl.col("pairs")),
        "misled_slots": pl.col("total_misled"),
        "bits_per_round": ratio(pl.col("round_bits"), pl.col("pair_rounds")),
        "feasible_bits_per_round": ratio(pl.col("round_feasible_bits"), pl.col("pair_rounds")),
        "bits_touched": ratio(pl.col("round_bits"), pl.col("touched")),
        "feasible_bits_touched": ratio(pl.col("round_feasible_bits"), pl.col("touched")),
        "touched_pair_rounds": pl.col("touched"),
        "coalition_pair_bits": ratio(pl.col("of_two"), two),
        "coalition_bits": ratio(pl.col("of_all"), agents),
        "best_member_bits": ratio(pl.col("of_best"), agents),
        "members_bits": ratio(pl.col("of_each"), agents),
        **{f"{name}_per_round": ratio(pl.col(name), certifiable) for name in CERTIFIED},
    }
    return rows.select("game_id", *KNOWN, "certifiable_rounds", "certified_rounds", **measures)
