"""Does the prior decide who leaks most? The teams' bits under other priors."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from pipeline.beyond.leakage.gains import Array
from pipeline.beyond.leakage.leaked import additions
from pipeline.beyond.leakage.measure import Tables, of_settings, over_pairs, statements
from pipeline.beyond.leakage.orders import kendall

PART = ["condition", "setting", "feasible", "filled"]


def by_prior(tables: Tables, settings: Mapping[str, Any]) -> pl.DataFrame:
    """One row per team, setting, condition and prior of `settings["sensitivity"]`; the stated one is among them."""
    rows = []
    for _, part, prior in of_settings(tables, settings):
        _, facts, likelihoods = statements(part, prior)
        for feasible in settings["sensitivity"]["feasible"]:
            for filled in settings["sensitivity"]["filled"]:
                weights = _shares(prior.probability, prior.states.costs)
                other = prior._replace(probability=prior.states.prior(feasible, filled, weights))
                found = additions(facts, likelihoods, other, settings["least"])
                means = _team_means(found, part["games"])
                rows.append(means.with_columns(feasible=pl.lit(float(feasible)), filled=pl.lit(float(filled))))
    return _with_tau(pl.concat(rows), float(settings["feasible"]), float(settings["filled"]))


def _shares(probability: Array, costs: tuple[int, ...]) -> dict[int, float]:
    """How an errand's cost is distributed under a prior."""
    return dict(zip(costs, probability[1:-1].tolist(), strict=True))


def _team_means(added: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    rows = games.join(over_pairs(added, games, ["bits"]), on="game_id").sort("game_id")
    lists = rows.group_by("condition", "setting", "team", maintain_order=True).agg("bits")
    return lists.with_columns(pl.col("bits").list.mean()).sort("condition", "setting", "team")


def _with_tau(rows: pl.DataFrame, feasible: float, filled: float) -> pl.DataFrame:
    stated = rows.filter(feasible=feasible, filled=filled).select("condition", "setting", "team", stated="bits")
    beside = rows.join(stated, on=["condition", "setting", "team"], how="left", maintain_order="left")
    parts = [beside.head(0).with_columns(tau=pl.lit(None, pl.Float64))]
    for _, part in beside.group_by(PART, maintain_order=True):
        tau = kendall(part["bits"].to_numpy()[None], part["stated"].to_numpy()[None])[0]
        parts.append(part.with_columns(tau=pl.lit(tau, pl.Float64).fill_nan(None)))
    return pl.concat(parts).drop("stated")
