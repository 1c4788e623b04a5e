"""Information in bits: how far a posterior lies from the prior, and how much of that is true.

With prior π and posterior p of a slot, in bits:
realised gain Σ p·log2(p/π), the same of feasibility alone, and log2(p/π) of the slot's true state, which is below 0
where messages mislead. For true statements that leave no doubt gain and truth are one number, −log2 π(what is left).
"""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.beyond.leakage.priors import Prior
from pipeline.privacy.protocols.states import posteriors

Array = NDArray[np.float64]
MEASURES = ("bits", "feasible_bits", "bits_true", "feasible_bits_true", "misled")


def divergence(posterior: Array, prior: Array) -> Array:
    """Σ p·log2(p/π) of each row, in bits."""
    ratio = np.where(posterior > 0, posterior, prior) / prior
    return np.asarray((posterior * np.log2(ratio)).sum(axis=1))


def gains(posterior: Array, prior: Array, state: NDArray[np.int64], least: float) -> dict[str, Array]:
    """The measures of each slot: posterior rows × states, its true state's index.

    A truth counts as if it had kept at least the probability `least`, or half of what it had beforehand where that is
    less: a lie never comes to −∞ bits, nor to any above 0. One that was said to be impossible is one slot misled.
    """
    sure = np.stack([1 - posterior[:, -1], posterior[:, -1]], axis=1)
    before = np.array([1 - prior[-1], prior[-1]])
    of_truth = posterior[np.arange(len(state)), state]
    busy = (state == len(prior) - 1).astype(np.int64)
    of_feasibility = sure[np.arange(len(state)), busy]
    return {
        "bits": divergence(posterior, prior),
        "feasible_bits": divergence(sure, before),
        "bits_true": _towards(of_truth, prior[state], least),
        "feasible_bits_true": _towards(of_feasibility, before[busy], least),
        "misled": (of_truth == 0).astype(np.float64),
    }


def _towards(truth: Array, before: Array, least: float) -> Array:
    """log2(p/π) of the truth, in bits."""
    return np.asarray(np.log2(np.maximum(truth, np.minimum(least, before / 2)) / before))


def of_slots(
    facts: pl.DataFrame, by: Sequence[str], likelihoods: Array, prior: Prior, least: float
) -> tuple[pl.DataFrame, Array]:
    """One row per group of facts that share `by`, sorted, with its measures; and the posteriors, groups × states.

    A fact counts once in its group, whoever said it and how often. A group's facts share their true state.
    """
    distinct = facts.unique([*by, "content", "draw"], keep="first", maintain_order=True)
    distinct = distinct.sort(*by, "content", "draw")
    groups = distinct.group_by(by, maintain_order=True).agg(pl.len(), pl.first("state"))
    lengths = groups["len"].to_numpy().astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    found = posteriors(likelihoods[distinct["content"].to_numpy()], starts, prior.probability)
    measures: Mapping[str, Array] = gains(found, prior.probability, groups["state"].to_numpy(), least)
    return groups.drop("state").with_columns(pl.Series(n, v) for n, v in measures.items()), found


def summed(rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """The measures added up over the rows of each group, in the rows' order whatever the number of threads."""
    lists = rows.group_by(by, maintain_order=True).agg(*MEASURES, statements=pl.col("len").sum().cast(pl.Int64))
    return lists.with_columns(pl.col(MEASURES).list.sum())
