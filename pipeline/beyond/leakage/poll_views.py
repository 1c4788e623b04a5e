"""What a whole view of polling tells: which calendars would have been asked just this, turn by turn.

Who answers sees when it is asked, about which slots, and when a slot is decided for. Between those turns somebody else
was asked, about the slot that stood first by what the initiator knew. Every such course is followed as a *hypothesis*: a
set of cells a slot, a cell being what the initiator and the responders who don't observe hold there. Given the course,
slots are independent, so P(view) is the sum over hypotheses of the product over slots of the sum over their cells. It
is exact while there are at most `MOST` hypotheses. Where there are more, as many are drawn, by weight, with fixed
draws, and the sum is an unbiased estimate.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from pipeline.beyond.leakage.gains import Array
from pipeline.beyond.leakage.slot_sums import prices_of
from pipeline.beyond.leakage.views import View
from pipeline.privacy.protocols.states import States

MOST = 128
LARGE = 1 << 12  # above every cost of a slot, in ranks
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Asks = Mapping[tuple[int, int], float]  # (responder, slot) → limit


def poll_likelihood(view: View, beliefs: Array, states: States) -> float:
    """P(view) of polling. Raises NotImplementedError where all responders are asked at once."""
    if view.parameters.get("together"):
        raise NotImplementedError("polling that asks all responders at once has no likelihood of its views")
    if not view.takes_part:
        return 1.0
    if view.leads:
        return _answers(view, beliefs, states)
    course = _Course(view, beliefs, states)
    start = 1 if course.surveyed else 0
    chosen = next(view.of_kind("decision"), None)
    end = chosen.turn if chosen else view.last_turn + 1
    for turn in range(start, end):
        course.asked(turn, _asks_of(view, turn))
        if not course.alive:
            return 0.0
    return course.decided(end, chosen.body["slot"] if chosen else None)


def _limit(value: float | None) -> float:
    return np.inf if value is None else float(value)


def _answers(view: View, beliefs: Array, states: States) -> float:
    """P(the answers that the initiator was given)."""
    costs = np.array(prices_of(states))
    fits: dict[tuple[int, int], Flags] = {}
    for message in view.of_kind("answer"):
        for field in ("can", "cannot"):
            for slot, limit in message.body[field].items():
                met = np.isfinite(costs) & (costs <= _limit(limit))
                key = message.sender, int(slot)
                fits[key] = fits.get(key, np.ones(len(costs), bool)) & (met if field == "can" else ~met)
    return float(np.prod([beliefs[agent, slot] @ fit for (agent, slot), fit in fits.items()]))


def _asks_of(view: View, turn: int) -> dict[tuple[int, int], float]:
    """What the observers were asked in a turn."""
    return {
        (agent, int(slot)): _limit(limit)
        for message in view.of_kind("ask")
        if message.turn == turn
        for agent in message.recipients
        for slot, limit in message.body["limits"].items()
    }


@dataclass
class _Cells:
    """Hypotheses × slots × cells: weight, the initiator's own cost, thresholds refused and met by responder; and of each
    hypothesis its factor and the slots that were named."""

    weight: Array
    refused: Integers  # responders × hypotheses × slots × cells
    met: Flags
    factor: Array
    named: Flags

    def chosen(self, of: Integers) -> "_Cells":
        """Some of the hypotheses, by number."""
        return _Cells(self.weight[of], self.refused[:, of], self.met[:, of], self.factor[of], self.named[of])

    def chances(self) -> Array:
        """P of each hypothesis."""
        return np.asarray(self.factor * self.weight.sum(axis=2).prod(axis=1))


class _Course:
    """All courses that a round of polling may have taken, as far as the observers' view goes."""

    def __init__(self, view: View, beliefs: Array, states: States) -> None:
        self.view = view
        ladder = view.parameters.get("ladder", (0, 1, 100))
        self.prices = np.array([*ladder, view.parameters.get("dear", 1000)], dtype=np.float64)
        self.limits = np.array([*ladder, np.inf], dtype=np.float64)
        self.ties = view.parameters.get("ties", "lowest")
        self.responders = view.participants[1:]
        self.observing = np.array([agent in view.observers for agent in self.responders])
        survey = view.parameters.get("survey")
        self.surveyed = len(self.responders) if survey is None else min(survey, len(self.responders))
        costs = np.array(prices_of(states))
        cells = np.array(list(product(range(len(costs)), repeat=len(view.participants))))
        joint = np.ones((view.slots, 1))
        for agent in view.participants:
            joint = (joint[:, :, None] * beliefs[agent][:, None, :]).reshape(view.slots, -1)
        used = joint.any(axis=0)
        cells, joint = cells[used], joint[:, used]
        self.cost = costs[cells].T  # participants × cells
        self.cells = self._begin(joint)

    def _begin(self, joint: Array) -> _Cells:
        """The one hypothesis after the survey: of each responder surveyed, what it said of the lowest threshold."""
        shape = (len(self.responders), 1, *joint.shape)
        met, refused = np.zeros(shape, bool), np.zeros(shape, np.int64)
        for place in range(self.surveyed):
            within = np.isfinite(self.cost[place + 1]) & (self.cost[place + 1] <= self.limits[0])
            met[place], refused[place] = within, ~within
        return _Cells(joint[None], refused, met, np.ones(1), np.zeros((1, len(joint)), bool))

    @property
    def alive(self) -> bool:
        """Whether any course is left."""
        return len(self.cells.factor) > 0

    def _order(self, cells: _Cells) -> tuple[Array, Flags, Integers]:
        """Rank of each cell among the slots (infinite: out), whether it is settled, and who is asked next."""
        out = (cells.refused >= len(self.prices)).any(axis=0) | ~np.isfinite(self.cost[0])
        bound = self.prices[np.minimum(cells.refused, len(self.prices) - 1)].sum(axis=0) + self.cost[0]
        after = {"lowest": 0.0, "named": ~cells.named[:, :, None], "own": self.cost[0]}[self.ties]
        slots = np.arange(self.view.slots)[None, :, None]
        rank = np.where(out, np.inf, (np.where(out, 0, bound) * LARGE + np.where(out, 0, after)) * LARGE + slots)
        return rank, cells.met.all(axis=0), np.argmin(cells.met, axis=0)

    def asked(self, turn: int, asks: Asks) -> None:
        """Follow all courses through a turn in which the observers were asked this, and nothing was decided."""
        cells = self.cells
        rank, settled, following = self._order(cells)
        if turn >= self.view.max_turns - 2:  # late, any settled slot would have been decided for
            cells.weight = np.where(settled & np.isfinite(rank), 0.0, cells.weight)
        theirs = self.observing[following] & ~settled
        for slot in range(self.view.slots):
            wanted = {agent: limit for (agent, s), limit in asks.items() if s == slot}
            if wanted:
                agent, limit = next(iter(wanted.items()))
                place = self.responders.index(agent)
                step = np.minimum(cells.refused[place, :, slot], len(self.limits) - 1)
                fits = ~settled[:, slot] & (following[:, slot] == place) & (self.limits[step] == limit)
                cells.weight[:, slot] = np.where(fits, cells.weight[:, slot], 0.0)
                theirs[:, slot] = False
        width = self.view.parameters.get("width", 1) << max(0, turn - self.view.parameters.get("patience", 6))
        self.cells = self._picked(cells, width, theirs, {slot for _, slot in asks})

    def _picked(self, cells: _Cells, width: int, theirs: Flags, wanted: set[int]) -> _Cells:
        """The courses after as many slots have been asked about as are open, the first ones by rank."""
        done: list[_Cells] = []
        picked = np.zeros(cells.weight.shape[:2], bool)
        state = _Turn(cells, picked, theirs)
        for number in range(min(width, self.view.slots)):
            if number:
                done.append(self._stopped(state, wanted))
            state = self._pick(state, first=number == 0)
            if not len(state.cells.factor):
                break
        done.append(self._complete(state, wanted))
        return self._fewer(_joined(done))

    def _pick(self, state: "_Turn", first: bool) -> "_Turn":
        """Each course, and each slot and rank that may come next in it: no other slot stands before."""
        cells = state.cells
        rank, settled, _ = self._order(cells)
        able = (cells.weight > 0) & np.isfinite(rank) & ~settled & ~state.theirs & ~state.picked[:, :, None]
        parents, values = [], []
        for number in range(len(cells.factor)):
            of = np.unique(rank[number][able[number]])
            parents.append(np.full(len(of), number))
            values.append(of)
        parent, value = np.concatenate([*parents, np.zeros(0, np.int64)]).astype(np.int64), np.concatenate(values)
        slot = (value % LARGE).astype(np.int64)
        new = cells.chosen(parent)
        later = rank[parent] > value[:, None, None]
        if not first:
            later |= settled[parent] & np.isfinite(rank[parent])
        later |= ~np.isfinite(rank[parent]) | state.picked[parent][:, :, None]
        here = np.arange(len(parent)), slot
        mine = able[parent][here] & (rank[parent][here] == value[:, None])
        later[here] = mine
        new.weight = np.where(later, new.weight, 0.0)
        picked = state.picked[parent].copy()
        picked[here] = True
        kept = new.chances() > 0
        return self._sample(_Turn(new, picked, state.theirs[parent]), np.flatnonzero(kept))

    def _stopped(self, state: "_Turn", wanted: set[int]) -> _Cells:
        """The courses in which no further slot is open."""
        rank, settled, _ = self._order(state.cells)
        closed = ~np.isfinite(rank) | settled | state.picked[:, :, None]
        cells = state.cells.chosen(np.arange(len(state.cells.factor)))
        cells.weight = np.where(closed, cells.weight, 0.0)
        return self._complete(_Turn(cells, state.picked, state.theirs), wanted)

    def _complete(self, state: "_Turn", wanted: set[int]) -> _Cells:
        """The courses that asked the observers all that they were asked, with what the answers tell the initiator."""
        whole = state.picked[:, sorted(wanted)].all(axis=1) & (state.cells.chances() > 0)
        cells, picked = state.cells.chosen(np.flatnonzero(whole)), state.picked[whole]
        _, _, following = self._order(cells)
        refused, met = cells.refused.copy(), cells.met.copy()
        for place in range(len(self.responders)):
            asked = picked[:, :, None] & (following == place) & ~cells.met.all(axis=0)
            cost = self.cost[place + 1]
            limit = self.limits[np.minimum(cells.refused[place], len(self.limits) - 1)]
            within = np.isfinite(cost) & (cost <= limit)
            met[place] |= asked & within
            refused[place] += asked & ~within
        return _Cells(cells.weight, refused, met, cells.factor, cells.named | picked)

    def decided(self, turn: int, slot: int | None) -> float:
        """P(all so far, and that this slot is decided for in the turn); None: that no slot is left to ask about."""
        cells = self.cells
        rank, settled, _ = self._order(cells)
        if slot is None:
            idle = ~np.isfinite(rank) if turn < self.view.max_turns else np.ones_like(settled)
            return float(_Cells(np.where(idle, cells.weight, 0.0), *_rest(cells)).chances().sum())
        late, chance = turn >= self.view.max_turns - 2, 0.0
        for value in np.unique(rank[:, slot][settled[:, slot] & (cells.weight[:, slot] > 0)]):
            later = (rank > value) | (late & ~settled)
            later[:, slot] = settled[:, slot] & (rank[:, slot] == value)
            chance += float(_Cells(np.where(later, cells.weight, 0.0), *_rest(cells)).chances().sum())
        return chance

    def _sample(self, state: "_Turn", kept: Integers) -> "_Turn":
        """The hypotheses of these numbers; where there are too many, a draw of them that keeps the sum unbiased."""
        cells = state.cells.chosen(kept)
        turn = _Turn(cells, state.picked[kept], state.theirs[kept])
        drawn = _draw(cells)
        if drawn is None:
            return turn
        return _Turn(_scaled(cells, drawn), turn.picked[drawn], turn.theirs[drawn])

    def _fewer(self, cells: _Cells) -> _Cells:
        drawn = _draw(cells)
        return cells if drawn is None else _scaled(cells, drawn)


@dataclass
class _Turn:
    """A turn half way: the courses, the slots asked about so far, the cells that would ask an observer who was not."""

    cells: _Cells
    picked: Flags
    theirs: Flags


def _rest(cells: _Cells) -> Iterator[NDArray]:  # type: ignore[type-arg]
    return iter((cells.refused, cells.met, cells.factor, cells.named))


def _joined(parts: list[_Cells]) -> _Cells:
    axis = {"weight": 0, "refused": 1, "met": 1, "factor": 0, "named": 0}
    return _Cells(**{name: np.concatenate([getattr(p, name) for p in parts], axis=a) for name, a in axis.items()})


def _draw(cells: _Cells) -> Integers | None:
    """Numbers of `MOST` hypotheses, each as often as its share of P, at even steps; None where there are no more."""
    chances = cells.chances()
    if len(chances) <= MOST:
        return None
    edges = np.cumsum(chances) / chances.sum()
    return np.searchsorted(edges, (np.arange(MOST) + 0.5) / MOST).clip(max=len(chances) - 1)


def _scaled(cells: _Cells, drawn: Integers) -> _Cells:
    """The drawn hypotheses, each standing for an equal part of all."""
    chances = cells.chances()
    part = cells.chosen(drawn)
    part.factor = part.factor * (chances.sum() / MOST / chances[drawn])
    return part
