"""Costs on another scale: IMAP with costs rounded to k bits or with noise, DSM with scores by the logarithm of cost.

The published DSM gives all costs from 10 on the score 1. Messages on another scale are kinds of their own, as what they
name means another cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp, log10

import msgspec
from msgspec import Struct

from sim.agents import Action, Request
from sim.agents.dsm import TOP_SCORE, Dsm, DsmParameters, Proposals, Scores
from sim.agents.dsm import Decision as DsmDecision
from sim.agents.imap import CostRequest, Decision, Imap, local_cost
from sim.agents.scripted import check_ladder, dm, others
from sim.calendar import Calendar


class KBitParameters(Struct, frozen=True, kw_only=True):
    """`bits` a slot; `top` is the cost from which all count as one."""

    bits: int = 3
    top: int = 1000

    def __post_init__(self) -> None:
        if not 0 <= self.bits <= 8:
            raise ValueError(f"bits must lie between 0 and 8; got {self.bits}")
        if self.top < 1:
            raise ValueError(f"top must be at least 1; got {self.top}")


class Levels(Struct, tag_field="imap", tag="levels"):
    """The code of each requested slot: the first of the `bounds` that its cost does not exceed, null: impossible.

    What exceeds the last bound counts as the last. Without bounds a code says nothing.
    """

    meeting_id: int
    levels: dict[int, int | None]
    bounds: list[int]


def grid(bits: int, top: int) -> list[int]:
    """The bounds of 2^bits − 1 levels, from 0 to `top` in equal steps of log(1 + cost); one code says impossible.

    1 bit tells whether, 2 bits tell free from cheap from dear; 0 bits have no level at all.
    """
    levels = int(2**bits) - 1
    if levels < 2:
        return [top] * levels
    return [round((1 + top) ** (j / (levels - 1))) - 1 for j in range(levels)]


def level_of(cost: int, bounds: Sequence[int]) -> int:
    """The first bound that the cost does not exceed, or the last, by its place."""
    return next((j for j, bound in enumerate(bounds) if cost <= bound), len(bounds) - 1)


class KBitImap(Imap):
    """One participant of k-bit IMAP."""

    decoder = msgspec.json.Decoder(CostRequest | Levels | Decision)

    def __init__(self, parameters: KBitParameters = KBitParameters()) -> None:
        self.bounds = grid(parameters.bits, parameters.top)

    def reply(self, request: Request, slots: Sequence[int]) -> Levels:
        return Levels(request.meeting.id, {s: self.level(request.calendar, s) for s in slots}, self.bounds)

    def note(self, sender: int, payload: Struct) -> None:
        if isinstance(payload, Levels):
            self.replies[sender] = {s: self.price(code) for s, code in payload.levels.items()}

    def level(self, calendar: Calendar, slot: int) -> int | None:
        """The code of the slot. With 0 bits there is but one."""
        cost = local_cost(calendar, slot)
        return 0 if not self.bounds else None if cost is None else level_of(cost, self.bounds)

    def price(self, code: int | None) -> int | None:
        """The bound that a code stands for; with 0 bits, nothing. A code that is none counts as impossible."""
        if not self.bounds:
            return 0
        return None if code is None or not 0 <= code < len(self.bounds) else self.bounds[code]

    def cost(self, calendar: Calendar, slot: int) -> int | None:
        """What the agent calls the cost of a slot: the grid's bound, its own figure where there is no grid."""
        return self.price(self.level(calendar, slot)) if self.bounds else local_cost(calendar, slot)


class NoisyParameters(Struct, frozen=True, kw_only=True):
    """`epsilon` is the privacy level of an answer, `ladder` its levels, `impossible` what an impossible slot counts."""

    epsilon: float = 2.0
    ladder: tuple[int, ...] = (0, 1, 100, 1000)
    impossible: int = 3000

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon <= 50:
            raise ValueError(f"epsilon must lie between 0 and 50; got {self.epsilon}")
        check_ladder(self.ladder)


class Noisy(Struct, tag_field="imap", tag="noisy"):
    """A level of the ladder for each requested slot, null: impossible; each true with the probability `truth`."""

    meeting_id: int
    levels: dict[int, int | None]
    ladder: list[int]
    truth: float


class Offer(Struct, tag_field="imap", tag="offer"):
    """The initiator could take the slot, and asks who can."""

    meeting_id: int
    slot: int


class Can(Struct, tag_field="imap", tag="can"):
    """Whether the offered slot is possible for the sender, truly."""

    meeting_id: int
    slot: int
    can: bool


def truth_of(epsilon: float, symbols: int) -> float:
    """The probability of the true symbol: e^ε / (e^ε + m − 1)."""
    return exp(epsilon) / (exp(epsilon) + symbols - 1)


class NoisyImap(Imap):
    """One participant of randomised-response IMAP."""

    decoder = msgspec.json.Decoder(CostRequest | Noisy | Offer | Can | Decision)

    def __init__(self, parameters: NoisyParameters = NoisyParameters()) -> None:
        self.parameters = parameters
        self.truth = truth_of(parameters.epsilon, len(parameters.ladder) + 1)

    def begin_round(self, request: Request) -> None:
        super().begin_round(request)
        self.coins = self.own_draws("randomised response", request)
        self.untried: list[int] | None = None
        self.offered: int | None = None
        self.answers: dict[int, bool] = {}

    def answer(self, request: Request, sender: int, payload: Struct) -> list[Action]:
        if isinstance(payload, Offer):
            can = self.cost(request.calendar, payload.slot) is not None
            return [dm(sender, request.meeting, Can(request.meeting.id, payload.slot, can))]
        return super().answer(request, sender, payload)

    def reply(self, request: Request, slots: Sequence[int]) -> Noisy:
        levels = {s: self.noisy(request.calendar, s) for s in slots}
        return Noisy(request.meeting.id, levels, list(self.parameters.ladder), self.truth)

    def note(self, sender: int, payload: Struct) -> None:
        match payload:
            case Noisy():
                self.replies[sender] = payload.levels
            case Can(slot=slot) if slot == self.offered:
                self.answers[sender] = payload.can

    def noisy(self, calendar: Calendar, slot: int) -> int | None:
        """The level that is said: the true one, or a random other. Each answer takes two draws, lie or not."""
        ladder = self.parameters.ladder
        cost = local_cost(calendar, slot)
        true = None if cost is None else level_of(cost, ladder)
        lies = self.coins.random() >= self.truth
        other = self.coins.choice([s for s in (*range(len(ladder)), None) if s != true])
        return other if lies else true

    def lead(self, request: Request) -> list[Action]:
        """The initiator's part: ask once, then offer slot after slot until all can."""
        meeting, responders = request.meeting, others(request.meeting, self.me)
        if self.agreed is not None or (responders and not self.asked):
            return super().lead(request)
        if not set(responders) <= set(self.replies) or not set(responders) >= set(self.answers):
            return []
        if self.offered is not None and not set(responders) <= set(self.answers):
            return []
        if self.offered is not None and all(self.answers[a] for a in responders):
            self.agreed = self.offered
            return [dm(a, meeting, Decision(meeting.id, self.agreed)) for a in responders]
        if self.untried is None:
            self.untried = self.order(request)
        if not self.untried:
            return []
        self.offered, self.answers = self.untried.pop(0), {}
        if not responders:
            return self.lead(request)
        return [dm(a, meeting, Offer(meeting.id, self.offered)) for a in responders]

    def order(self, request: Request) -> list[int]:
        """The initiator's possible slots, by its own cost and the prices of the answers; the lowest of equals first."""
        own = {s: c for s in range(len(request.calendar)) if (c := self.cost(request.calendar, s)) is not None}
        return sorted(own, key=lambda s: (own[s] + sum(self.price(r.get(s)) for r in self.replies.values()), s))

    def price(self, level: int | None) -> int:
        """What an answer counts: its level of the ladder."""
        ladder = self.parameters.ladder
        return ladder[level] if level is not None and 0 <= level < len(ladder) else self.parameters.impossible


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

    decoder = msgspec.json.Decoder(Proposals | LogScores | DsmDecision)

    def __init__(self, parameters: LogDsmParameters) -> None:
        super().__init__(parameters)
        self.per_tenfold = parameters.per_tenfold

    def reply(self, scores: dict[int, int], number: int) -> Scores:
        return LogScores(scores, number, self.per_tenfold)
