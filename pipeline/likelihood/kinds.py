"""What a message of the paper's protocols says of its sender's slots: a likelihood for each slot it speaks of.

A handler takes a `Letter` (pipeline/typed.py) and the `States` of the setting, and returns [(slot, likelihood), …]:
for each slot of the *sender* of which the body says something, P(what was said of it | state), a vector of the
states. Slots may lie outside the calendar: the caller drops them. What says nothing of a slot is left out.

Letters of a round come in the order of its trace, all with one `Heard`: what a reply answers is kept there, in
`heard.notes[kind, recipient]`.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pipeline.likelihood.states import States, Vector
from pipeline.rules import RULES
from pipeline.typed import INTEGER, Letter, as_number, as_slot, cost_request

Said = tuple[int, Vector]
Handler = Callable[[Letter, States], list[Said]]

PAPER = RULES["paper"]
OFFERED = "dsm plans"


class Offered(NamedTuple):
    """A plan as one agent was shown it: its slot, where its own meetings would leave and land, what others clear."""

    slot: int | None
    leaves: tuple[int | None, ...]
    lands: tuple[int | None, ...]
    cleared: tuple[int | None, ...]
    takes_part: bool


def _said(slot: int | None, likelihood: Vector) -> list[Said]:
    """The statement, where its slot is known."""
    return [] if slot is None else [(slot, likelihood)]


def imap_request(letter: Letter, states: States) -> list[Said]:
    """Nothing is said; the slots are kept as a bound on the recipients' replies."""
    cost_request(letter, PAPER)
    return []


def imap_costs(letter: Letter, states: States) -> list[Said]:
    """Each requested slot: exactly what it costs the sender; null: busy."""
    requested = letter.heard.requested.get(letter.sender, set())
    given = letter.body.get("costs")
    said: list[Said] = []
    for text, cost in given.items() if isinstance(given, dict) else ():
        slot = int(text) if INTEGER.fullmatch(text) else None
        if slot in requested and (cost is None or as_number(cost) is not None):
            said += _said(slot, states.costing(as_number(cost)))
    return said


def chosen(letter: Letter, states: States) -> list[Said]:
    """The chosen slot: feasible for who chose it."""
    return _said(as_slot(letter.body.get("slot")), states.feasible())


def dsm_proposals(letter: Letter, states: States) -> list[Said]:
    """Each distinct slot that a plan names: feasible for who offers it; busy where the plan moves a meeting away."""
    plans = _plans(letter.body)
    for recipient in letter.recipients:
        letter.heard.notes.setdefault((OFFERED, recipient), {}).update(plans)
    return [statement for plan in plans.values() for statement in _of_plan(plan, states)]


def dsm_decision(letter: Letter, states: States) -> list[Said]:
    """The chosen plan, as an offer of it alone."""
    return _of_plan(_offered(letter.body, letter.body), states)


def _of_plan(plan: Offered, states: States) -> list[Said]:
    """What it says of who offers it: a meeting stands where one leaves, nothing where one lands."""
    leaves = (*plan.leaves, *plan.cleared)
    if not leaves:
        return _said(plan.slot, states.feasible())
    lands = [slot for slot in plan.lands if slot not in leaves]
    return _each(leaves, states.busy()) + _each(lands, states.free())


def _each(slots: Sequence[int | None], likelihood: Vector) -> list[Said]:
    return [statement for slot in slots for statement in _said(slot, likelihood)]


def _plans(body: dict[str, Any]) -> dict[str, Offered]:
    """Plan id → plan. A payload without plans names slots, each its own plan's id."""
    plans = body.get("plans")
    if plans is None:
        return {str(slot): _offered({"slot": slot}, body) for slot in _list(body.get("slots"))}
    return {str(plan.get("id")): _offered(plan, body) for plan in _list(plans) if isinstance(plan, dict)}


def _offered(plan: dict[str, Any], body: dict[str, Any]) -> Offered:
    """A plan of an offer, or of a decision. An offer that names no participants is to one who takes no part."""
    moves = [move for move in _list(plan.get("displacements")) if isinstance(move, dict)]
    return Offered(
        as_slot(plan.get("slot")),
        tuple(as_slot(move.get("from_slot")) for move in moves),
        tuple(as_slot(move.get("to_slot")) for move in moves),
        tuple(as_slot(slot) for slot in _list(plan.get("cleared_slots"))),
        body.get("participants") != [],
    )


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def dsm_scores(letter: Letter, states: States) -> list[Said]:
    """Each scored plan's slot: the costs that come to that score, max(1, 11 − cost), and 0 for busy.

    Of a plan that moves the sender's own meetings, a score above 0 says that they stand where they would leave, that
    where they would land is free, and that the slot is feasible; 0 says that some of it is not so, but not what.
    """
    plans = letter.heard.notes.get((OFFERED, letter.sender), {})
    given = letter.body.get("scores")
    said: list[Said] = []
    for name, score in given.items() if isinstance(given, dict) else ():
        plan, number = plans.get(name), as_number(score)
        if plan is not None and number is not None:
            said += scored_moves(plan, number, states) if plan.leaves else _scored(plan, number, states)
    return said


def _scored(plan: Offered, score: float, states: States) -> list[Said]:
    """One who takes no part, and has nothing to move, says nothing of itself."""
    return _said(plan.slot, satisfied(score, states)) if plan.takes_part else []


def satisfied(score: float, states: States) -> Vector:
    """The states that come to the score; one that no state comes to says only feasible (above 0) or busy."""
    top = PAPER.score_levels - 1
    exact = states.likelihood(lambda cost: score == (0 if cost is None else max(1, top - cost)))
    if exact.any():
        return exact
    return states.feasible() if score > 0 else states.busy()


def scored_moves(plan: Offered, score: float, states: States) -> list[Said]:
    if score <= 0:
        return []
    lands = [slot for slot in plan.lands if slot not in (*plan.leaves, *plan.cleared)]
    placed = [] if plan.slot in plan.leaves or not plan.takes_part else [plan.slot]
    return _each(plan.leaves, states.busy()) + _each(lands, states.free()) + _each(placed, states.feasible())


def sd_propose(letter: Letter, states: States) -> list[Said]:
    """The proposed slot: feasible for who proposes it, as far as Table 10 believes a proposal (0.85)."""
    return _said(as_slot(letter.body.get("slot")), states.believing(PAPER.proposed))


def sd_reply(letter: Letter, states: States) -> list[Said]:
    """The proposed slot: busy where it is IMPOSSIBLE, else feasible."""
    status = letter.body.get("reply_status")
    likelihood = states.busy() if status == "IMPOSSIBLE" else states.feasible()
    return _said(as_slot(letter.body.get("slot")), likelihood) if isinstance(status, str) else []


def sd_propose_reschedule(letter: Letter, states: States) -> list[Said]:
    """The slot that a meeting would move to, as a proposal. That it leaves another is no news to who is asked."""
    return _said(as_slot(letter.body.get("to_slot")), states.believing(PAPER.proposed))


def sd_reschedule_reply(letter: Letter, states: States) -> list[Said]:
    """The slot that a meeting would move to: free, or not."""
    status = letter.body.get("reply_status")
    slot = as_slot(letter.body.get("to_slot" if "to_slot" in letter.body else "slot"))
    likelihood = 1 - states.free() if status == "IMPOSSIBLE" else states.free()
    return _said(slot, likelihood) if isinstance(status, str) else []


def sd_confirm_reschedule(letter: Letter, states: States) -> list[Said]:
    """The slot that a meeting moves to: free."""
    return _said(as_slot(letter.body.get("to_slot")), states.free())


LIKELIHOODS: dict[tuple[str, str], Handler] = {
    ("imap", "cost_request"): imap_request,
    ("imap", "costs"): imap_costs,
    ("imap", "decision"): chosen,
    ("sd", "propose"): sd_propose,
    ("sd", "reply"): sd_reply,
    ("sd", "confirm"): chosen,
    ("sd", "propose_reschedule"): sd_propose_reschedule,
    ("sd", "reschedule_reply"): sd_reschedule_reply,
    ("sd", "confirm_reschedule"): sd_confirm_reschedule,
    ("dsm", "proposals"): dsm_proposals,
    ("dsm", "scores"): dsm_scores,
    ("dsm", "decision"): dsm_decision,
}
