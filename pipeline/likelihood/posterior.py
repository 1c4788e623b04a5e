"""Many posteriors at once: prior × product of likelihoods, where contradictions don't end in 0 / 0."""

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Rows = NDArray[np.float64]
Places = NDArray[np.int64]


def posteriors(likelihoods: Rows, starts: Places, prior: Vector) -> Rows:
    """groups × states: the posterior of each run of consecutive likelihoods (rows × states) that begins at `starts`.

    The states of a group that contradict fewest of its likelihoods share the probability, by prior × the product of
    the likelihoods that they don't contradict: the limit of likelihoods max(L, δ) for δ → 0.
    """
    if not len(starts):
        return np.zeros((0, len(prior)))
    contradicted = np.add.reduceat((likelihoods == 0).astype(np.int64), starts)
    logs = np.add.reduceat(np.log(np.where(likelihoods == 0, 1.0, likelihoods)), starts) + np.log(prior)
    kept = contradicted == contradicted.min(axis=1, keepdims=True)
    logs = np.where(kept, logs, -np.inf)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
