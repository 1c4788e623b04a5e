"""What a whole view of polling tells: which calendars would have been asked just this, turn by turn.

Who answers sees when it is asked, about which slots, and when a slot is decided for. Between those turns somebody else
was asked, about the slot that stood first by what the initiator knew. Every such course is followed as a hypothesis: a
set of cells a slot, a cell being what the initiator and the responders who don't observe hold there. Given the course,
slots are independent, so P(view) is the sum over hypotheses of the product over slots of the sum over their cells. It
is exact while there are at most 96 hypotheses. Where there are more, as many are drawn at even steps of their P,
and the sum is an estimate.
"""

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from pipeline.beyond.leakage.statements import View
from pipeline.beyond.leakage.views import prices_of
from pipeline.privacy.protocols.states import States
from pipeline.statistics.resampling import Array

# How many courses are followed at most, and by which power of P they are drawn: more, and more unlike each other, only
# where all that were drawn before came to nothing.
MOST = ((96, 1.0), (1536, 0.5), (4096, 0.25))
LARGE = 1 << 12  # above every cost of a slot
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
Asks = dict[tuple[int, int], float]  # (responder, slot) → limit


def poll_likelihood(view: View, beliefs: Array, states: States) -> float:
    """P(view) of polling. Raises NotImplementedError where all responders are asked at once."""
    if view.parameters.get("together"):
        raise NotImplementedError("polling that asks all responders at once has no likelihood of its views")
    if not view.takes_part:
        return 1.0
    if view.leads:
        return _answers(view, beliefs, states)
    tries = (_followed(view, _Course(view, beliefs, states, *how)) for how in MOST)
    return next((chance for chance in tries if chance > 0), 0.0)


def _followed(view: View, course: "_Course") -> float:
    """P(view), turn by turn."""
    chosen = next(view.of_kind("decision"), None)
    end = chosen.turn if chosen else view.last_turn + 1
    for turn in range(1 if course.surveyed else 0, end):
        course.asked(turn, _asks_of(view, turn))
        if not len(course.cells.factor):
            return 0.0
    return course.decided(end, chosen.body["slot"] if chosen else None)


def _within(cost: Array, limit: Array | float) -> Flags:
    """Whether a slot of the cost can be taken within the limit: one that cannot be taken at all never."""
    return np.asarray(np.isfinite(cost) & (cost <= limit))


def _answers(view: View, beliefs: Array, states: States) -> float:
    """P(the answers that the initiator was given)."""
    costs = np.array(prices_of(states))
    fits = defaultdict[tuple[int, int], Flags](lambda: np.ones(len(costs), bool))
    for message in view.of_kind("answer"):
        for field in ("can", "cannot"):
            for slot, limit in message.body[field].items():
                met = _within(costs, np.inf if limit is None else limit)
                fits[message.sender, int(slot)] &= met if field == "can" else ~met
    return float(np.prod([beliefs[agent, slot] @ fit for (agent, slot), fit in fits.items()]))


def _asks_of(view: View, turn: int) -> dict[tuple[int, int], float]:
    """What the observers were asked in a turn."""
    return {
        (agent, int(slot)): np.inf if limit is None else float(limit)
        for message in view.of_kind("ask")
        if message.turn == turn
        for agent in message.recipients
        for slot, limit in message.body["limits"].items()
    }


@dataclass
class _Cells:
    """Hypotheses × slots × cells: weight, thresholds refused, and whether one was met, by responder.

    And of each hypothesis its factor, and the slots that were named.
    """

    weight: Array
    refused: NDArray[np.int8]  # responders × hypotheses × slots × cells
    met: Flags
    factor: Array
    named: Flags

    def chosen(self, of: Integers, times: Array | float = 1.0) -> "_Cells":
        """Some of the hypotheses, by number, their factors multiplied."""
        return _Cells(self.weight[of], self.refused[:, of], self.met[:, of], self.factor[of] * times, self.named[of])

    def chances(self) -> Array:
        """P of each hypothesis."""
        return np.asarray(self.factor * self.weight.sum(axis=2).prod(axis=1))

    def chance_of(self, cells: Flags) -> float:
        """P of all hypotheses together, with these cells alone."""
        return float((self.factor * np.where(cells, self.weight, 0.0).sum(axis=2).prod(axis=1)).sum())


class _Course:
    """All courses that a round of polling may have taken, as far as the observers' view goes."""

    def __init__(self, view: View, beliefs: Array, states: States, most: int, power: float) -> None:
        self.view, self.most, self.power = view, most, power
        ladder = view.parameters.get("ladder", (0, 1, 100))
        self.prices = np.array([*ladder, view.parameters.get("dear", 1000)], dtype=np.float64)
        self.limits = np.array([*ladder, np.inf], dtype=np.float64)
        self.ties = view.parameters.get("ties", "lowest")
        self.responders = view.participants[1:]
        self.places = np.arange(len(self.responders))[:, None, None, None]
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
        self.cells = self._begin(np.where(self._possible(), joint, 0.0))

    def _begin(self, joint: Array) -> _Cells:
        """The one hypothesis after the survey: of each responder surveyed, what it said of the lowest threshold."""
        within = np.broadcast_to(self._responders_within(self.limits[0]), (len(self.responders), 1, *joint.shape))
        asked = self.places < self.surveyed
        refused = (asked & ~within).astype(np.int8)
        return _Cells(joint[None], refused, asked & within, np.ones(1), np.zeros((1, len(joint)), bool))

    def _responders_within(self, limit: Array | float) -> Flags:
        """Responders × hypotheses × slots × cells: whether the responder can take the slot within the limit."""
        return _within(self.cost[1:, None, None], limit)

    def _possible(self) -> Flags:
        """Slots × cells: what is asked about the initiator can take, and all who are asked before the observer; what is
        decided for all can take."""
        possible = np.ones((self.view.slots, self.cost.shape[1]), bool)
        for message in self.view.of_kind("ask"):
            before = self.view.participants.index(message.recipients[0])
            possible[[int(slot) for slot in message.body["limits"]]] &= np.isfinite(self.cost[:before]).all(axis=0)
        chosen = self.view.chosen()
        if chosen is not None:
            possible[chosen] &= np.isfinite(self.cost).all(axis=0)
        return possible

    def _order(self, cells: _Cells) -> tuple[Array, Flags]:
        """Each cell's place among slots, of equals the lowest slot first (infinite: out); whether it is settled."""
        out = (cells.refused >= len(self.prices)).any(axis=0) | ~np.isfinite(self.cost[0])
        bound = self.prices[np.minimum(cells.refused, len(self.prices) - 1)].sum(axis=0) + self.cost[0]
        after = {"lowest": 0.0, "named": ~cells.named[:, :, None], "own": self.cost[0]}[self.ties]
        key = np.where(out, np.inf, np.where(out, 0, bound) * LARGE + after)
        return np.asarray(key), np.asarray(cells.met.all(axis=0))

    def asked(self, turn: int, asks: Asks) -> None:
        """Follow all courses through a turn in which the observers were asked this, and nothing was decided."""
        cells = self.cells
        key, settled = self._order(cells)
        following = np.argmin(cells.met, axis=0)  # who is asked next
        if turn >= self.view.max_turns - 2:  # late, any settled slot would have been decided for
            cells.weight = np.where(settled & np.isfinite(key), 0.0, cells.weight)
        theirs = self.observing[following] & ~settled
        for slot, (agent, limit) in {s: (a, limit) for (a, s), limit in reversed(asks.items())}.items():
            place = self.responders.index(agent)
            step = np.minimum(cells.refused[place, :, slot], len(self.limits) - 1)
            fits = ~settled[:, slot] & (following[:, slot] == place) & (self.limits[step] == limit)
            cells.weight[:, slot] = np.where(fits, cells.weight[:, slot], 0.0)
            theirs[:, slot] = False
        width = self.view.parameters.get("width", 1) << max(0, turn - self.view.parameters.get("patience", 6))
        self.cells = self._picked(cells, width, theirs, [(a, s) for a, s in asks])

    def _picked(self, cells: _Cells, width: int, theirs: Flags, asks: list[tuple[int, int]]) -> _Cells:
        """The courses after as many slots have been asked about as are open, the first ones by rank.

        asks: (responder, slot) of what the observers were asked, each responder's in the order of its message.
        """
        done: list[_Cells] = []
        picked = np.zeros(cells.weight.shape[:2], bool)
        state, wanted = _Turn(cells, picked, theirs), {slot for _, slot in asks}
        in_order = [(s, after) for (a, s), (b, after) in combinations(asks, 2) if a == b]
        for number in range(min(width, self.view.slots)):
            if number:
                done.append(self._stopped(state, wanted))
            state = self._pick(state, in_order, first=number == 0)
            if not len(state.cells.factor):
                break
        done.append(self._complete(state, wanted))
        every = _joined(done)
        drawn, factor = _draw(every.chances(), self.most, self.power)
        return every.chosen(drawn, factor)

    def _pick(self, state: "_Turn", in_order: list[tuple[int, int]], first: bool) -> "_Turn":
        """Each course, and each slot and place in the order that may come next in it: no other slot stands before.

        in_order: of two slots the first is named before the second.
        """
        cells = state.cells
        key, settled = self._order(cells)
        stays = ~np.isfinite(key) | state.picked[:, :, None] | (settled & (not first))
        able = ~stays & ~settled & ~state.theirs
        for earlier, later in in_order:
            able[:, later] &= state.picked[:, earlier, None]
        finite = np.where(stays, 0.0, key)
        keys = np.unique(finite)
        place = np.searchsorted(keys, finite)
        ordered = _by_key(np.where(stays, 0.0, cells.weight), place, len(keys))
        staying = np.where(stays, cells.weight, 0.0).sum(axis=2)[:, :, None]
        from_here = np.cumsum(ordered[:, :, ::-1], axis=2)[:, :, ::-1] + staying
        chance = _by_key(np.where(able, cells.weight, 0.0), place, len(keys)) * cells.factor[:, None, None]
        chance[:, 1:] *= np.cumprod(from_here - ordered, axis=1)[:, :-1]
        chance[:, :-1] *= np.cumprod(from_here[:, ::-1], axis=1)[:, ::-1][:, 1:]
        parent, slot, chosen = np.nonzero(chance > 0)
        drawn, factor = _draw(chance[parent, slot, chosen], self.most, self.power)
        parent, slot, value = parent[drawn], slot[drawn], keys[chosen[drawn]]
        new = cells.chosen(parent, factor)
        here = np.arange(len(parent)), slot
        of, slots = key[parent], np.arange(self.view.slots)[None, :, None]
        level = value[:, None, None]
        kept = stays[parent] | (of > level) | ((of == level) & (slots > slot[:, None, None]))
        kept[here] = able[parent][here] & (of[here] == value[:, None])
        new.weight = np.where(kept, new.weight, 0.0)
        picked = state.picked[parent].copy()
        picked[here] = True
        return _Turn(new, picked, state.theirs[parent])

    def _stopped(self, state: "_Turn", wanted: set[int]) -> _Cells:
        """The courses in which no further slot is open."""
        key, settled = self._order(state.cells)
        closed = ~np.isfinite(key) | settled | state.picked[:, :, None]
        cells = replace(state.cells, weight=np.where(closed, state.cells.weight, 0.0))
        return self._complete(replace(state, cells=cells), wanted)

    def _complete(self, state: "_Turn", wanted: set[int]) -> _Cells:
        """The courses that asked the observers all that they were asked, with what the answers tell the initiator."""
        whole = state.picked[:, sorted(wanted)].all(axis=1) & (state.cells.chances() > 0)
        cells, picked = state.cells.chosen(np.flatnonzero(whole)), state.picked[whole]
        following = np.argmin(cells.met, axis=0)
        asked = picked[:, :, None] & (following == self.places) & ~cells.met.all(axis=0)
        within = self._responders_within(self.limits[np.minimum(cells.refused, len(self.limits) - 1)])
        met, refused = cells.met | (asked & within), cells.refused + (asked & ~within)
        return _Cells(cells.weight, refused, met, cells.factor, cells.named | picked)

    def decided(self, turn: int, slot: int | None) -> float:
        """P(all so far, and that this slot is decided for in the turn); None: that no slot is left to ask about."""
        cells = self.cells
        key, settled = self._order(cells)
        if slot is None:
            idle = ~np.isfinite(key) if turn < self.view.max_turns else np.ones_like(settled)
            return cells.chance_of(idle)
        late, chance = turn >= self.view.max_turns - 2, 0.0
        above = np.arange(self.view.slots)[None, :, None] > slot
        for value in np.unique(key[:, slot][settled[:, slot] & (cells.weight[:, slot] > 0)]):
            later = (key > value) | ((key == value) & above) | (late & ~settled)
            later[:, slot] = settled[:, slot] & (key[:, slot] == value)
            chance += cells.chance_of(later)
        return chance


@dataclass
class _Turn:
    """A turn half way: the courses, the slots asked about so far, the cells that would ask an observer who was not."""

    cells: _Cells
    picked: Flags
    theirs: Flags


def _joined(parts: list[_Cells]) -> _Cells:
    axis = {"weight": 0, "refused": 1, "met": 1, "factor": 0, "named": 0}
    return _Cells(**{name: np.concatenate([getattr(p, name) for p in parts], axis=a) for name, a in axis.items()})


def _by_key(weight: Array, place: Integers, keys: int) -> Array:
    """The weight of each place in the order: hypotheses × slots × keys."""
    lines = np.arange(place.shape[0] * place.shape[1]).reshape(*place.shape[:2], 1) * keys + place
    flat = np.bincount(lines.ravel(), weight.ravel(), minlength=place.shape[0] * place.shape[1] * keys)
    return np.asarray(flat.reshape(*place.shape[:2], keys))


def _draw(chances: Array, most: int, power: float) -> tuple[Integers, Array]:
    """(numbers, factors) of all hypotheses; where there are more than `most`, of as many, drawn at even steps of the
    power of P, with the factor that keeps the sum of P right on average."""
    if len(chances) <= most:
        return np.arange(len(chances)), np.ones(len(chances))
    weights = chances**power
    weights = weights / weights.sum()
    drawn = np.searchsorted(np.cumsum(weights), (np.arange(most) + 0.5) / most).clip(max=len(chances) - 1)
    return drawn, 1 / (most * weights[drawn])
