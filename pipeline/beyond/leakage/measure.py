"""Leakage in bits of all games in a folder of tables: by pair, coalition and round, and by game."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from pipeline.beyond.leakage.gains import (
    COALITION,
    MEASURES,
    ROUND_PAIR,
    Prior,
    additions,
    coalition_gains,
    disclosures,
    pair_gains,
    setting_prior,
)
from pipeline.beyond.leakage.statements import Histories, histories, observed_statements
from pipeline.privacy.beliefs import ratio
from pipeline.statistics.resampling import Array
from pipeline.tables.io import read_table

READ = ("games", "rounds", "items", "moves", "messages", "belief_evidence")
GAME = ("team", "simulated", "setting", "condition", "task_id")
CERTIFIED = (
    "to_initiator_bits",
    "disclosed_bits",
    "necessary_bits",
    "floor_bits",
    "excess_bits",
    "excess_disclosed_bits",
)
Tables = Mapping[str, pl.DataFrame]


class Leakage(NamedTuple):
    """Frames of one folder's games, sorted by their keys: leaked_bits, leaked_coalitions and leaked_rounds."""

    pairs: pl.DataFrame
    coalitions: pl.DataFrame
    rounds: pl.DataFrame


class Statements(NamedTuple):
    """What was said in one setting's games.

    history: what every slot held; rows: of `observed_statements`; likelihoods: contents × states.
    """

    history: Histories
    rows: pl.DataFrame
    likelihoods: Array


def read_tables(folder: Path) -> dict[str, pl.DataFrame]:
    """The derived tables that leakage is measured from. Raises FileNotFoundError or ValueError where one is missing."""
    return {name: read_table(folder, name) for name in READ}


def of_games(tables: Tables, games: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The tables of some games alone. games: rows of the table games."""
    parts = {name: frame.join(games, on="game_id", how="semi", maintain_order="left") for name, frame in tables.items()}
    return parts | {"games": games}


def setting_parts(tables: Tables, settings: Mapping[str, Any]) -> Iterator[tuple[Tables, Prior]]:
    """The tables of each setting's games, and its prior; without games one part that is empty.

    settings: the `leakage` block of notebooks/beyond/params.yaml.
    """
    for setting in tables["games"]["setting"].unique().sort(nulls_last=True).to_list() or [None]:
        part = of_games(tables, tables["games"].filter(pl.col("setting").eq_missing(pl.lit(setting))))
        slots = int((part["games"]["num_agents"] * part["games"]["num_slots"]).sum())
        yield part, setting_prior(setting, part["items"], slots, settings)


def slot_histories(tables: Tables, prior: Prior) -> Histories:
    """What every slot of one setting's games held, in the states of its prior."""
    return histories(tables["games"], tables["rounds"], tables["items"], tables["moves"], prior.states)


def read_statements(tables: Tables, prior: Prior, figures: bool = False) -> Statements:
    """The statements of one setting's games; figures: whether costs that English names in figures are believed."""
    history = slot_histories(tables, prior)
    evidence = tables["belief_evidence"]
    rows, contents = observed_statements(tables["messages"], evidence, history, prior.states, figures)
    return Statements(history, rows, contents.likelihoods)


def leakage(tables: Tables, settings: Mapping[str, Any]) -> Leakage:
    """The leakage of all games, setting by setting, under the priors of `settings`."""
    parts = [_part_leakage(part, prior, settings) for part, prior in setting_parts(tables, settings)]
    keys = (ROUND_PAIR, COALITION, ["game_id", "round"])
    return Leakage(*(pl.concat(frames).sort(key) for frames, key in zip(zip(*parts, strict=True), keys, strict=True)))


def _part_leakage(tables: Tables, prior: Prior, settings: Mapping[str, Any]) -> Leakage:
    least, (history, rows, likelihoods) = settings["least"], read_statements(tables, prior)
    pairs, slots = pair_gains(rows, likelihoods, prior, least)
    coalitions = coalition_gains(rows, tables["games"], pairs, likelihoods, prior, least, settings["pairs_up_to"])
    return Leakage(pairs, coalitions, disclosures(tables["rounds"], pairs, slots, history, prior))


def with_figures(tables: Tables, settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per game: `bits` and `bits_true`, each `_with_figures`, had costs that English names been believed."""
    measures = {"bits": "bits_with_figures", "bits_true": "bits_true_with_figures"}
    parts = []
    for part, prior in setting_parts(tables, settings):
        _, rows, likelihoods = read_statements(part, prior, figures=True)
        added = additions(rows, likelihoods, prior, settings["least"])
        parts.append(mean_over_pairs(added, part["games"], list(measures)).rename(measures))
    return pl.concat(parts)


def mean_over_pairs(added: pl.DataFrame, games: pl.DataFrame, measures: Sequence[str]) -> pl.DataFrame:
    """One row per game: what rounds added (of `additions`), summed, as the mean over all ordered pairs of agents."""
    lists = added.group_by("game_id", maintain_order=True).agg(measures)
    agents = pl.col("num_agents")
    rows = games.select("game_id", pairs=agents * (agents - 1)).join(lists, on="game_id", how="left")
    means = (ratio(pl.col(name).list.sum().fill_null(0.0), pl.col("pairs")).alias(name) for name in measures)
    return rows.select("game_id", *means).sort("game_id")


def by_game(leakage: Leakage, games: pl.DataFrame) -> pl.DataFrame:
    """One row per game, also for games in which nothing was said: leaked_games without VPS and *_with_figures.

    Means over pairs are over all ordered pairs.
    """
    pairs = pl.col("num_agents") * (pl.col("num_agents") - 1)
    rows = games.select("game_id", *GAME, "num_agents", "rounds", pairs=pairs, pair_rounds=pl.col("rounds") * pairs)
    for sums in (_pair_sums(leakage.pairs), _coalition_sums(leakage.coalitions), _round_sums(leakage.rounds)):
        rows = rows.join(sums, on="game_id", how="left", maintain_order="left")
    zero = ("^round_.*$", "^total_.*$", "touched", "^of_.*$", "^certif.*$")
    return _means(rows.with_columns(pl.col(*zero).fill_null(0))).sort("game_id")


def _pair_sums(pairs: pl.DataFrame) -> pl.DataFrame:
    """The sums over a game's pairs and rounds: `round_` of each round alone, `total_` of all rounds together."""
    alone = {f"round_{name}": pl.col(name) for name in ("bits", "feasible_bits")}
    together = {f"total_{name}": pl.col(f"new_{name}") for name in MEASURES}
    lists = pairs.group_by("game_id", maintain_order=True).agg(**alone, **together, touched=pl.len().cast(pl.Int64))
    return lists.with_columns(pl.col(*alone, *together).list.sum())


def _coalition_sums(coalitions: pl.DataFrame) -> pl.DataFrame:
    """The sums over a game's targets of what all others know together, and over targets and pairs of observers."""
    lists = coalitions.group_by("game_id", maintain_order=True).agg(
        of_two=pl.col("bits").filter(pl.col("members") == 2),
        of_all=pl.col("bits").filter(pl.col("everybody")),
        of_best=pl.col("best_member_bits").filter(pl.col("everybody")),
        of_each=pl.col("members_bits").filter(pl.col("everybody")),
    )
    return lists.with_columns(pl.exclude("game_id").list.sum())


def _round_sums(rounds: pl.DataFrame) -> pl.DataFrame:
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
    return rows.select("game_id", *GAME, "certifiable_rounds", "certified_rounds", **measures)


def game_bits(tables: Path, settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per game of a folder of derived tables, sorted by game_id: of `by_game`.

    settings: the `leakage` block of notebooks/beyond/params.yaml. Raises FileNotFoundError or ValueError where a
    derived table is missing.
    """
    read = read_tables(tables)
    return by_game(leakage(read, settings), read["games"])
