"""The private state of a slot, likelihoods and posteriors over it, and its prior by setting."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Indices = NDArray[np.int64]


def posteriors(likelihoods: Matrix, starts: Indices, prior: Vector) -> Matrix:
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


def known_slot(slot: int | None, likelihood: Vector) -> list[tuple[int, Vector]]:
    """A list with the slot's likelihood; empty where the message names no slot that can be known."""
    return [] if slot is None else [(slot, likelihood)]


@dataclass(frozen=True)
class States:
    """The states of a slot, in order: free, an errand of each cost (ascending, above 0), busy.

    A state is named by what a meeting there would cost its owner: 0 for free, c for an errand, None for busy. Vectors
    are float64 of length `len(states)` in that order. A likelihood is P(what was said | state), of which only the
    ratios between states matter.
    Raises ValueError for costs that are not ascending and above 0.
    """

    costs: tuple[int, ...]

    def __post_init__(self) -> None:
        if list(self.costs) != sorted({c for c in self.costs if c > 0}):
            raise ValueError(f"costs of errands must be ascending and above 0, got {self.costs}")

    def __len__(self) -> int:
        return len(self.costs) + 2

    @cached_property
    def names(self) -> tuple[int | None, ...]:
        """What each state costs: 0, the errands' costs, None."""
        return (0, *self.costs, None)

    @property
    def busy_state(self) -> int:
        """The index of the busy state, the last."""
        return len(self) - 1

    def index(self, cost: int | None) -> int:
        """The index of the state that costs so much (None: busy). Raises ValueError for a cost that no state has."""
        return self.names.index(cost)

    def likelihood(self, of: Callable[[int | None], float]) -> Vector:
        """The likelihood that gives each state `of(cost)`: True and False serve as 1 and 0."""
        return np.array([float(of(cost)) for cost in self.names])

    def feasible(self) -> Vector:
        """ "The meeting can go there": free or an errand."""
        return self.likelihood(lambda cost: cost is not None)

    def busy(self) -> Vector:
        """ "The meeting can't go there"."""
        return self.likelihood(lambda cost: cost is None)

    def free(self) -> Vector:
        """ "Nothing stands there"."""
        return self.likelihood(lambda cost: cost == 0)

    def costing(self, stated: float | None) -> Vector:
        """ "A meeting there costs me so much" (None: can't be there).

        A cost that no state has (of an agent that makes its figures up) says what its sign does: there is an errand
        where it is above 0, nothing where it is not.
        """
        exact = self.likelihood(lambda cost: cost == stated)
        if stated is None or exact.any():
            return exact
        return self.likelihood(lambda cost: cost is not None and (cost > 0) == (stated > 0))

    def at_most(self, limit: float) -> Vector:
        """ "A meeting there costs me at most so much": never busy."""
        return self.likelihood(lambda cost: cost is not None and cost <= limit)

    def at_least(self, limit: float) -> Vector:
        """ "A meeting there costs me at least so much, or can't be": busy is above every cost."""
        return self.likelihood(lambda cost: cost is None or cost >= limit)

    def believing(self, belief: float) -> Vector:
        """The likelihood that takes P(feasible) from 0.5 to `belief`, and tells no feasible state from another."""
        return self.likelihood(lambda cost: 1 - belief if cost is None else belief)

    def prior(self, feasible: float, filled: float, shares: Mapping[int, float]) -> Vector:
        """P(state): busy 1 − feasible; of what is feasible, `filled` holds an errand, its cost drawn by `shares`.

        `shares` are weights, of any sum, by cost; one that is left out weighs 0. Raises ValueError for a cost that no
        state has, or where a state would be impossible before anything was said.
        """
        if set(shares) - set(self.costs):
            raise ValueError(f"no state has the costs {sorted(set(shares) - set(self.costs))}; there are {self.costs}")
        total = sum(shares.values())
        errands = [feasible * filled * shares.get(cost, 0) / total for cost in self.costs]
        prior = np.array([feasible * (1 - filled), *errands, 1 - feasible])
        if not (prior > 0).all():
            raise ValueError(f"every state must be possible beforehand; P is {prior.tolist()} for {self.names}")
        return prior

    def posterior(self, prior: Vector, *likelihoods: Vector) -> Vector:
        """P(state | all that was said): prior × product of the likelihoods of *distinct* contents, in no order.

        Contents that can't all be true (a liar, a slip) leave the states that contradict fewest of them: the limit of
        a sender who errs with a probability that goes to 0. Nothing is ever divided by 0.
        """
        return np.asarray(posteriors(np.stack([np.ones(len(self)), *likelihoods]), np.array([0]), prior)[0])


FEASIBLE, FILLED = 0.5, 0.75
COSTS = {"uniform": {1: 1}, "varied": {1: 14, 100: 11, 1000: 11}}
UNKNOWN = "varied"  # the costs of a setting that is not one of these


class SlotPrior(NamedTuple):
    """The states of a slot and the probability of each."""

    states: States
    probability: Vector

    def feasible_after(self, *likelihoods: Vector) -> float:
        """P(feasible | what was said)."""
        return float(1.0 - self.states.posterior(self.probability, *likelihoods)[-1])


@cache
def slot_prior(setting: str | None) -> SlotPrior:
    """The prior of a setting."""
    costs = COSTS.get(setting or UNKNOWN, COSTS[UNKNOWN])
    states = States(tuple(sorted(costs)))
    return SlotPrior(states, states.prior(FEASIBLE, FILLED, costs))


def slot_prior_over(states: States) -> SlotPrior:
    """The prior of the setting with these states; their costs equally likely where no setting has just them."""
    costs = next((of for of in COSTS.values() if tuple(sorted(of)) == states.costs), dict.fromkeys(states.costs, 1))
    return SlotPrior(states, states.prior(FEASIBLE, FILLED if costs else 0.0, costs))
