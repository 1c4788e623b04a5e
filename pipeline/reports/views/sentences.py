"""Games, rounds and typed messages in words."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

Body = Mapping[str, Any]


def headline(game: Mapping[str, Any]) -> tuple[str, str]:
    """Who played which task, and what came of it. game: its row of `games`."""
    simulated = " (simulated speakers: no model)" if game["simulated"] else ""
    optimum = "" if game["optimal_cost"] is None else f" (optimum {game['optimal_cost']})"
    meetings = f"{game['meetings_scheduled']} of {game['meetings']} meetings"
    return (
        f"{game['team']}{simulated} on {game['task_id']}, {game['condition']}",
        f"{meetings}, cost {game['realized_cost']}{optimum}, {game['dms']} DMs",
    )


# What is said of a round's meeting, by the round's `failure_reason`.
FAILURES = {
    "stopped": "is open: the game stopped before this round was resolved",
    "no valid batch": "failed: a participant had no valid batch, so none was applied",
    "different slots": "failed: different slots ({places})",
    "blocked slot": "failed: slot {slot} is blocked for a participant",
    "earlier meeting broken": "failed: all chose slot {slot}, but {broken}",
    "earlier meeting still broken": "failed: all chose slot {slot}, but {broken}",
    "unexplained": "failed: all chose slot {slot}, and the trace does not say why",
}


def outcome(played: Mapping[str, Any]) -> str:
    """Where a round's meeting was placed, or why it failed, and which earlier meetings are broken, without a full stop.

    played: the round's row of `rounds`.
    """
    meeting, best = f"M{played['meeting_id']}", played["oracle_slot"]
    if played["coordinated"]:
        slot = played["slot"]
        oracle = "" if best is None else f" (the oracle's slot is {best})" if best != slot else ", the oracle's own"
        return f"{meeting} is in slot {slot}{oracle}"
    said, slots = FAILURES[played["failure_reason"]], played["participant_slots"]
    broken = " and ".join(
        f"M{m} was broken in this round" if since == played["round"] else f"M{m} has been broken since round {since}"
        for m, since in zip(played["violated_meetings"], played["violated_since"], strict=True)
    )
    if broken and "{broken}" not in said:
        said += "; {broken}"
    chosen = ("nowhere" if slot is None else str(slot) for slot in slots)
    places = ", ".join(f"agent {a}: {slot}" for a, slot in zip(played["participants"], chosen, strict=True))
    return f"{meeting} {said.format(places=places, slot=slots[0], broken=broken)}"


def sentence(content: str, protocol: str | None) -> str | None:
    """A typed message as an English sentence; None for English messages, and for JSON of an unknown kind."""
    if protocol is None:
        return None
    try:
        body = json.loads(content)
        write = SENTENCES.get((protocol, body[protocol]))
        return write(body) if write else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def slot_ranges(numbers: Iterable[int]) -> str:
    """Slots in order, runs of three or more shortened: 0–3, 5, 7."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{r[0]}–{r[-1]}" if len(r) > 2 else ", ".join(map(str, r)) for r in runs)


def _costs(body: Body) -> str:
    by_cost: dict[int, list[int]] = {}
    for slot, cost in body["costs"].items():
        if cost is not None:
            by_cost.setdefault(cost, []).append(int(slot))
    by_price = "; ".join(f"cost {cost}: {slot_ranges(held)}" for cost, held in sorted(by_cost.items()))
    cannot = slot_ranges(int(slot) for slot, cost in body["costs"].items() if cost is None)
    return (by_price or "nothing can be had") + (f"; impossible: {cannot}" if cannot else "")


def _plan(plan: Body) -> str:
    moves = ", ".join(f"M{m['meeting_id']} {m['from_slot']} → {m['to_slot']}" for m in plan["displacements"])
    return f"slot {plan['slot']}" + (f" (plan {plan['id']}: {moves})" if moves else "")


def _proposals(body: Body) -> str:
    plans = body["plans"]
    if any(plan["displacements"] for plan in plans):
        return f"offers {'; '.join(map(_plan, plans))}"
    return f"offers slots {slot_ranges(plan['slot'] for plan in plans)}"


def _scores(body: Body) -> str:
    return "scores " + ", ".join(f"{plan}: {score}" for plan, score in body["scores"].items()) + " (0 never, 11 gladly)"


def _decision(body: Body) -> str:
    moves = ", ".join(f"M{m['meeting_id']} {m['from_slot']} → {m['to_slot']}" for m in body["displacements"])
    return f"decides for slot {body['slot']}" + (f", with {moves}" if moves else "")


def _reply(body: Body) -> str:
    can = "could take" if body["reply_status"] == "PENDING" else "cannot take"
    return f"{can} slot {body['slot']}"


def _move(body: Body, verb: str) -> str:
    return f"{verb} M{body['meeting_id']} {body['from_slot']} → {body['to_slot']}"


SENTENCES: dict[tuple[str, str], Callable[[Body], str]] = {
    ("imap", "cost_request"): lambda body: f"asks what slots {slot_ranges(body['slots'])} would cost",
    ("imap", "costs"): _costs,
    ("imap", "decision"): lambda body: f"decides for slot {body['slot']}",
    ("sd", "propose"): lambda body: f"proposes slot {body['slot']}",
    ("sd", "reply"): _reply,
    ("sd", "confirm"): lambda body: f"confirms slot {body['slot']}",
    ("sd", "fail"): lambda body: f"gives up on M{body['meeting_id']}",
    ("sd", "reschedule_request"): lambda body: f"asks to find M{body['meeting_id']} another slot",
    ("sd", "propose_reschedule"): lambda body: _move(body, "proposes to move"),
    ("sd", "confirm_reschedule"): lambda body: _move(body, "confirms to move"),
    ("sd", "fail_reschedule"): lambda body: f"finds no other slot for M{body['meeting_id']}",
    ("dsm", "proposals"): _proposals,
    ("dsm", "scores"): _scores,
    ("dsm", "decision"): _decision,
}
