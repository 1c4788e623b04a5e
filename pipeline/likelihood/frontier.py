"""What a message of the protocols beyond the paper's says of its sender's slots: as `kinds`, for `FRONTIER`'s kinds.

What a message says of several agents at once, as a sum does, stands in `joint`. A masked value by itself is uniform
whatever the cost: it says nothing.
"""

from collections.abc import Sequence
from math import ceil, log10
from typing import Any

from pipeline.likelihood.kinds import OFFERED, Handler, Said, chosen, scored_moves
from pipeline.likelihood.states import States, Vector
from pipeline.typed import INTEGER, Letter, as_number, as_slot

TOP_SCORE = 11


def levels(letter: Letter, states: States) -> list[Said]:
    """Each slot's code: the costs above the bound before, up to its own; the last has no end. null: busy."""
    bounds = _numbers(letter.body.get("bounds"))
    return [(slot, level(code, bounds, states)) for slot, code in _by_slot(letter.body, "levels") if bounds]


def level(code: object, bounds: Sequence[float], states: States) -> Vector:
    """The states that have the code; all of them where no code of the grid is named."""
    return states.likelihood(lambda cost: symbol(cost, bounds) == code)


def symbol(cost: int | None, bounds: Sequence[float]) -> int | None:
    """The place of the first bound that the cost does not exceed, or of the last; None for busy."""
    if cost is None:
        return None
    return next((j for j, bound in enumerate(bounds) if cost <= bound), len(bounds) - 1)


def noisy(letter: Letter, states: States) -> list[Said]:
    """Each slot's symbol, true with the probability `truth` and else any other of the m symbols, all equally likely."""
    bounds, truth = _numbers(letter.body.get("ladder")), as_number(letter.body.get("truth"))
    if not bounds or truth is None or not 0 <= truth <= 1:
        return []
    other = (1 - truth) / len(bounds)
    said = [(slot, level(code, bounds, states)) for slot, code in _by_slot(letter.body, "levels")]
    return [(slot, other + (truth - other) * exact) for slot, exact in said]


def can(letter: Letter, states: States) -> list[Said]:
    """The offered slot: feasible, or not."""
    slot, answer = as_slot(letter.body.get("slot")), letter.body.get("can")
    if slot is None or type(answer) is not bool:
        return []
    return [(slot, states.feasible() if answer else states.busy())]


def log_scores(letter: Letter, states: States) -> list[Said]:
    """Each scored plan's slot: the costs that come to that score, max(1, 11 − ⌈points · log10(1 + cost)⌉), 0: busy.

    A plan that moves the sender's own meetings speaks as under linear scores.
    """
    plans, points = letter.heard.notes.get((OFFERED, letter.sender), {}), as_number(letter.body.get("per_tenfold"))
    given = letter.body.get("scores")
    said: list[Said] = []
    if points is None or not isinstance(given, dict):
        return said
    for name, score in given.items():
        plan, number = plans.get(name), as_number(score)
        if plan is None or number is None:
            continue
        if plan.leaves:
            said += scored_moves(plan, number, states)
        elif plan.slot is not None and plan.takes_part:
            said.append((plan.slot, scored(number, points, states)))
    return said


def scored(score: float, points: float, states: States) -> Vector:
    """The states that come to a logarithmic score; feasible (above 0) or busy where none does."""

    def of(cost: int | None) -> int:
        return 0 if cost is None else max(1, TOP_SCORE - ceil(points * log10(1 + cost)))

    exact = states.likelihood(lambda cost: of(cost) == score)
    if exact.any():
        return exact
    return states.feasible() if score > 0 else states.busy()


def ask(letter: Letter, states: States) -> list[Said]:
    """Each slot that is asked about: feasible for who asks."""
    return [(slot, states.feasible()) for slot, _ in _by_slot(letter.body, "limits")]


def answer(letter: Letter, states: States) -> list[Said]:
    """Each slot, by the answer: within the limit, or not. A limit of null is any cost."""
    within = [(slot, within_limit(limit, states)) for slot, limit in _by_slot(letter.body, "can")]
    return within + [(slot, 1 - within_limit(limit, states)) for slot, limit in _by_slot(letter.body, "cannot")]


def within_limit(limit: object, states: States) -> Vector:
    """The states that a meeting may cost the limit at most; any that is feasible without one."""
    number = as_number(limit)
    return states.feasible() if number is None else states.at_most(number)


def _by_slot(body: dict[str, Any], key: str) -> list[tuple[int, Any]]:
    given = body.get(key)
    pairs = given.items() if isinstance(given, dict) else ()
    return [(int(text), value) for text, value in pairs if INTEGER.fullmatch(text)]


def _numbers(value: object) -> list[float]:
    """The numbers of a list; none where it holds anything else."""
    found = [as_number(each) for each in value] if isinstance(value, list) else []
    return [] if None in found else [each for each in found if each is not None]


FRONTIER: dict[tuple[str, str], Handler] = {
    ("imap", "levels"): levels,
    ("imap", "noisy"): noisy,
    ("imap", "offer"): chosen,
    ("imap", "can"): can,
    ("dsm", "log_scores"): log_scores,
    ("poll", "ask"): ask,
    ("poll", "answer"): answer,
    ("poll", "decision"): chosen,
    ("dpop", "value"): chosen,
    ("secure", "decision"): chosen,
}
