"""Belief updates to beliefs, and beliefs to VPS (Eq. 1, Appendix H.1, H.4, H.5).

Sums of floats run over lists in a fixed order, so that no result depends on the number of threads.
"""

from collections.abc import Sequence
from itertools import count
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.privacy.rules import ENGLISH_VERSIONS, SCRIPT_WEIGHING, RuleSet, Weighing

PAIR = ("game_id", "round", "target_agent", "observer_agent")
TARGET = ("game_id", "round", "target_agent")
MODES = ("uniform", "cost")

Belief = TypeVar("Belief", pl.Expr, NDArray[np.float64])


def update_beliefs(updates: pl.DataFrame, weighing: Weighing) -> pl.DataFrame:
    """The updates with `belief_before` and `belief_after`: b ← (1 − s)·b + s·e, from the prior in each round.

    An update outside the calendar changes no belief: both are null.
    """
    evidence, strength = (updates[name].to_numpy() for name in ("evidence", "strength"))
    before, after = np.zeros((2, len(updates)))
    rows = updates.with_row_index("row").filter("in_calendar").group_by(*PAIR, "slot").agg("row")["row"]
    belief = np.full(len(rows), weighing.prior)
    # Every belief's first update at once, then the second of those that have two, and so on.
    for turn in count():
        has_more = rows.list.len() > turn
        rows, belief = rows.filter(has_more), belief[has_more]
        if rows.is_empty():
            break
        row = rows.list.get(turn).to_numpy()
        before[row] = belief
        after[row] = belief = (1.0 - strength[row]) * belief + strength[row] * evidence[row]
    columns = {"belief_before": before, "belief_after": after}
    updated = updates.with_columns(pl.Series(name, values) for name, values in columns.items())
    return updated.with_columns(pl.when("in_calendar").then(pl.col(*columns)))


def slot_weights(calendars: pl.DataFrame, weighing: Weighing) -> pl.DataFrame:
    """One row per game, round and target: `weights`, a list of w per slot, and their sum.

    w = min(cap, 1 + √cost) where the weighing has no other form; the cap for a blocked slot (Appendix H.4).
    """
    slots = calendars.select("game_id", "round", pl.col("agent").alias("target_agent"), "costs", "blocked")
    slots = slots.with_columns(slot=pl.int_ranges(pl.col("costs").list.len())).explode("costs", "slot")
    cost = pl.col("costs").cast(pl.Float64)
    forms = {"sqrt": 1.0 + cost.sqrt(), "log": 1.0 + cost.log1p(), "linear": 1.0 + cost}
    weight = pl.min_horizontal(pl.lit(weighing.weight_cap), forms[weighing.weight_form])
    blocked = pl.col("blocked").list.contains(pl.col("slot"))
    return (
        slots.with_columns(weights=pl.when(blocked).then(weighing.weight_cap).otherwise(weight))
        .group_by(*TARGET, maintain_order=True)
        .agg("weights")
        .with_columns(cost_weight_sum=pl.col("weights").list.sum())
    )


def weigh_updates(evidence: pl.DataFrame, weights: pl.DataFrame) -> pl.DataFrame:
    """The updates inside the calendar, with `cost_weight`, their slot's weight of `slot_weights`."""
    return weigh_slots(evidence.filter("in_calendar"), weights)


def weigh_slots(rows: pl.DataFrame, weights: pl.DataFrame) -> pl.DataFrame:
    """The rows, each about a target's slot, with `cost_weight`, the slot's weight. An unknown calendar's weigh 1."""
    return (
        rows.join(weights.drop("cost_weight_sum"), on=TARGET, how="left", maintain_order="left")
        .with_columns(cost_weight=pl.col("weights").list.get(pl.col("slot"), null_on_oob=True).fill_null(1.0))
        .drop("weights")
    )


def pair_round_vps(
    losses: pl.DataFrame, weights: pl.DataFrame, games: pl.DataFrame, rounds: pl.DataFrame, weighing: Weighing
) -> pl.DataFrame:
    """One row per game, round, target, observer and weight mode with an update: the table pair_round_vps (Eq. 1).

    losses: those of `pair_losses`, with `uniform_release` and `cost_release`. weights: of `slot_weights`.
    """
    known = games.select("game_id", "num_agents", "num_slots")
    meetings = rounds.select("game_id", "round", "participants")
    pairs = (
        losses.join(known, on="game_id", how="left")
        .join(meetings, on=["game_id", "round"], how="left")
        .join(weights.drop("weights"), on=TARGET, how="left")
    )
    pairs = pairs.with_columns(
        pl.col("observations").fill_null(0),
        target_is_participant=pl.col("participants").list.contains(pl.col("target_agent")).fill_null(False),
        observer_is_participant=pl.col("participants").list.contains(pl.col("observer_agent")).fill_null(False),
        uniform_weight_sum=pl.col("num_slots").cast(pl.Float64),
        cost_weight_sum=pl.col("cost_weight_sum").fill_null(pl.col("num_slots").cast(pl.Float64)),
    )
    return pl.concat([_mode_rows(pairs, mode, weighing) for mode in MODES]).sort(*PAIR, "weight_mode")


def pair_losses(weighted: pl.DataFrame, weighing: Weighing) -> pl.DataFrame:
    """One row per pair and round with an update: `uniform_loss`, `cost_loss` (Σ w·|b − prior|) and `observations`.

    weighted: the updates of `weigh_updates`, with their beliefs.
    """
    counts = weighted.group_by(*PAIR).agg(observations=pl.len().cast(pl.Int64))
    return _losses(final_beliefs(weighted), weighing.prior, "loss").join(counts, on=PAIR, how="left")


def with_script(losses: pl.DataFrame, script: pl.DataFrame) -> pl.DataFrame:
    """The losses of pairs with `uniform_release` and `cost_release`, the public script's, and a row for each pair that
    it alone finds. script: its beliefs, of `weigh_slots`."""
    by_script = _losses(script.sort(*PAIR, "slot"), SCRIPT_WEIGHING.prior, "release")
    return losses.join(by_script, on=[*PAIR, "trace_path"], how="full", coalesce=True)


def _losses(final: pl.DataFrame, prior: float, name: str) -> pl.DataFrame:
    """One row per pair and round, its Σ w·|b − prior| by both weight modes, from its beliefs in the order of slots."""
    shift = belief_shift(pl.col("belief_after"), prior)
    losses = {f"uniform_{name}": shift, f"cost_{name}": shift * pl.col("cost_weight")}
    return (
        final.with_columns(**losses)
        .group_by(*PAIR, maintain_order=True)
        .agg(*losses, pl.first("trace_path"))
        .with_columns(pl.col(*losses).list.sum())
    )


def final_beliefs(weighted: pl.DataFrame) -> pl.DataFrame:
    """One row per game, round, target, observer and slot: its last update, with the belief at the round's end."""
    return weighted.unique([*PAIR, "slot"], keep="last", maintain_order=True).sort(*PAIR, "slot")


def belief_shift(belief: Belief, prior: float) -> Belief:
    """How far a belief has moved from the prior: |b − prior| of Eq. 1."""
    return abs(belief - prior)


def _mode_rows(pairs: pl.DataFrame, mode: str, weighing: Weighing) -> pl.DataFrame:
    loss, weight_sum = pl.col(f"{mode}_loss"), pl.col(f"{mode}_weight_sum")
    return pairs.select(
        "trace_path",
        *PAIR,
        "target_is_participant",
        "observer_is_participant",
        "num_agents",
        "num_slots",
        "observations",
        prior_distance_to_ideal=pl.lit(0.0),
        posterior_distance_to_ideal=loss,
        vps_loss=loss,
        vps_loss_per_slot=ratio(loss, pl.col("num_slots")),
        weight_sum=weight_sum,
        vps_loss_per_weight=ratio(loss, weight_sum),
        weight_mode=pl.lit(mode),
        prior=pl.lit(weighing.prior),
        vps_release=pl.col(f"{mode}_release"),
    )


def game_summary(pairs: pl.DataFrame, games: pl.DataFrame, rules: RuleSet) -> pl.DataFrame:
    """One row per game and weight mode: the table game_summary, with 0 where nobody learnt anything by the rules."""
    key = ["game_id", "weight_mode"]
    all_games = games.select("trace_path", "game_id", "num_agents", "rounds").join(
        pl.DataFrame({"weight_mode": MODES}), how="cross"
    )
    observed = pairs.filter(pl.col("vps_loss").is_not_null())
    participants_only = pl.col("target_is_participant") & pl.col("observer_is_participant")
    return (
        all_games.join(_totals(observed, ""), on=key, how="left")
        .join(_totals(observed.filter(participants_only), "participant_pair_"), on=key, how="left")
        .join(_script_means(pairs), on=key, how="left")
        .with_columns(
            pl.col("vps_loss_total", "participant_pair_vps_loss_total").fill_null(0.0),
            pl.col("observation_count", "pair_rounds").fill_null(0),
            all_pair_rounds=pl.col("rounds") * pl.col("num_agents") * (pl.col("num_agents") - 1),
            rules=pl.lit(rules.name),
            english=pl.lit(rules.english),
            english_version=pl.lit(ENGLISH_VERSIONS[rules.english]),
        )
        .with_columns(all_pairs_vps_loss_mean=ratio(pl.col("vps_loss_total"), pl.col("all_pair_rounds")))
        .sort(key)
    )


def ratio(numerator: pl.Expr, denominator: pl.Expr) -> pl.Expr:
    """numerator / denominator, null where the denominator is 0 or null.

    Polars multiplies by the reciprocal where it knows the denominator to be one value in all rows: its last digit
    would depend on which games happen to be in the same chunk.
    """
    return pl.map_batches([numerator, denominator], _divide, return_dtype=pl.Float64)


def _divide(columns: Sequence[pl.Series]) -> pl.Series:
    numerator, denominator = (column.cast(pl.Float64).to_numpy() for column in columns)
    return pl.Series(np.divide(numerator, np.where(denominator == 0, np.nan, denominator))).fill_nan(None)


def _totals(pairs: pl.DataFrame, prefix: str) -> pl.DataFrame:
    """One row per game and weight mode: total, mean and per-weight loss of the pair-rounds given."""
    total = pl.col("vps_loss").list.sum()
    return (
        pairs.group_by("game_id", "weight_mode", maintain_order=True)
        .agg("vps_loss", "weight_sum", pl.col("observations").sum())
        .select(
            "game_id",
            "weight_mode",
            total.alias(f"{prefix}vps_loss_total"),
            ratio(total, pl.col("vps_loss").list.len()).alias(f"{prefix}vps_loss_mean"),
            ratio(total, pl.col("weight_sum").list.sum()).alias(f"{prefix}vps_loss_per_weight"),
            pl.col("observations").alias(f"{prefix}observation_count"),
            pl.col("vps_loss").list.len().cast(pl.Int64).alias(f"{prefix}pair_rounds"),
        )
    )


def _script_means(pairs: pl.DataFrame) -> pl.DataFrame:
    """One row per game and weight mode in which the public script finds evidence: the mean of `vps_release`."""
    losses = pl.col("vps_release").list
    return (
        pairs.drop_nulls("vps_release")
        .group_by("game_id", "weight_mode", maintain_order=True)
        .agg("vps_release")
        .with_columns(vps_release=ratio(losses.sum(), losses.len()))
    )


def vps_by_source(weighted: pl.DataFrame, weighing: Weighing) -> pl.DataFrame:
    """One row per game, weight mode and source: the loss that its updates moved, adding up to the game's total.

    An update moves w·(|b after − prior| − |b before − prior|), which is below 0 where it takes a belief back.
    """
    prior = weighing.prior
    shift = belief_shift(pl.col("belief_after"), prior) - belief_shift(pl.col("belief_before"), prior)
    sums = (
        weighted.with_columns(uniform=shift, cost=shift * pl.col("cost_weight"))
        .group_by("game_id", "source", maintain_order=True)
        .agg(*MODES, updates=pl.len().cast(pl.Int64))
        .with_columns(pl.col(*MODES).list.sum())
        .unpivot(
            MODES, index=["game_id", "source", "updates"], variable_name="weight_mode", value_name="vps_loss_moved"
        )
        .sort("game_id", "weight_mode", "source")
    )
    totals = sums.group_by("game_id", "weight_mode", maintain_order=True).agg(total=pl.col("vps_loss_moved"))
    totals = totals.with_columns(pl.col("total").list.sum())
    return sums.join(totals, on=["game_id", "weight_mode"], how="left").with_columns(
        share=ratio(pl.col("vps_loss_moved"), pl.col("total"))
    )
