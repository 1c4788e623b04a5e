"""Who learnt how much about whom: in each round, and in all rounds so far."""

from collections.abc import Sequence

import polars as pl

from pipeline.beyond.leakage.gains import MEASURES, Array, of_slots, summed
from pipeline.beyond.leakage.priors import Prior

PAIR = ["game_id", "observer_agent", "target_agent"]
ROUND_PAIR = ["game_id", "round", "observer_agent", "target_agent"]
SECRET = [*PAIR, "slot", "spell"]


def leaked(facts: pl.DataFrame, likelihoods: Array, prior: Prior, least: float) -> tuple[pl.DataFrame, pl.DataFrame]:
    """One row per round, observer and target with a statement: the round alone, what it added, and all so far.

    And the measures of each slot of which something was said in the round, with the least and the largest cost that
    the round leaves possible (infinite: busy).
    """
    of_round, posterior = of_slots(facts, [*ROUND_PAIR, "slot"], likelihoods, prior, least)
    added = additions(facts, likelihoods, prior, least)
    names = {name: f"new_{name}" for name in MEASURES}
    rows = summed(of_round, ROUND_PAIR).join(added.rename(names), on=ROUND_PAIR, how="left", maintain_order="left")
    rows = rows.with_columns(pl.col(names.values()).fill_null(0.0)).sort(*PAIR, "round")
    so_far = (pl.col(f"new_{name}").cum_sum().over(PAIR).alias(f"total_{name}") for name in MEASURES)
    return rows.with_columns(so_far), of_round.with_columns(_bounds(posterior, prior))


def additions(facts: pl.DataFrame, likelihoods: Array, prior: Prior, least: float) -> pl.DataFrame:
    """One row per round, observer and target with something new: by how much the measures of all so far rose.

    Told of a slot's state again in a later round of one spell, an observer learns nothing.
    """
    firsts = first_told(facts, SECRET)
    changes = firsts.select(*SECRET, now="round").unique(maintain_order=True)
    known = changes.join(firsts, on=SECRET, how="inner", maintain_order="left_right").filter(
        pl.col("round") <= pl.col("now")
    )
    so_far, _ = of_slots(known, [*SECRET, "now"], likelihoods, prior, least)
    another = pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift(1)) for name in SECRET)
    steps = so_far.with_columns(
        pl.col(name) - pl.when(another).then(0.0).otherwise(pl.col(name).shift(1)) for name in MEASURES
    )
    return summed(steps.sort(*PAIR, "now", "slot", "spell"), [*PAIR, "now"]).rename({"now": "round"}).drop("statements")


def first_told(facts: pl.DataFrame, secret: Sequence[str]) -> pl.DataFrame:
    """The facts of each secret, each once, in the round in which it was first told."""
    return facts.sort("round", maintain_order=True).unique(
        [*secret, "content", "draw"], keep="first", maintain_order=True
    )


def _bounds(posterior: Array, prior: Prior) -> list[pl.Series]:
    import numpy as np

    costs = np.array([np.inf if cost is None else float(cost) for cost in prior.states.names])
    possible = posterior > 0
    least = np.where(possible, costs, np.inf).min(axis=1)
    largest = np.where(possible, costs, -np.inf).max(axis=1)
    return [pl.Series("least_cost", least), pl.Series("largest_cost", largest)]
