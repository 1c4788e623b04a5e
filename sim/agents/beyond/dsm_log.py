"""DSM whose scores fall with the logarithm of cost, where the published ones give all costs from 10 on the score 1.

Its score messages are a kind of their own, as a score means another cost.
"""

from __future__ import annotations

from math import ceil, log10

import msgspec

from sim.agents.dsm import Decision, Dsm, Proposals, Scores
from sim.agents.dsm_plans import TOP_SCORE, DsmParameters


class LogDsmParameters(DsmParameters, frozen=True, kw_only=True):
    """DSM's knobs, and how many points a tenfold 1 + cost takes off the score."""

    per_tenfold: float = 3.0

    def score(self, cost: int | None) -> int:
        """The satisfaction level of a cost: max(1, 11 − ⌈points · log10(1 + cost)⌉), 0 where it is impossible.

        Rounded up, so that no cost above 0 looks like none.
        """
        return 0 if cost is None else max(1, TOP_SCORE - ceil(self.per_tenfold * log10(1 + cost)))


class LogScores(Scores, tag_field="dsm", tag="log_scores"):
    """A responder's score of each offered plan, on the logarithmic scale of `per_tenfold` points."""

    per_tenfold: float


class LogDsm(Dsm):
    """One agent of DSM with logarithmic scores."""

    decoder = msgspec.json.Decoder(Proposals | LogScores | Decision)

    def __init__(self, parameters: LogDsmParameters) -> None:
        super().__init__(parameters)
        self.per_tenfold = parameters.per_tenfold

    def reply(self, scores: dict[int, int], number: int) -> Scores:
        return LogScores(scores, number, self.per_tenfold)
