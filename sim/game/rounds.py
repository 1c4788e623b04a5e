"""The rounds of a game (Appendix D.4): talk, voluntary moves, decision, resolution; and what the game comes to."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import msgspec

from sim.agents import CHEAP_TALK, DECISION, VOLUNTARY, Reply, Request
from sim.calendar import Batch, BatchConflict, Errand, validate
from sim.game.game import CHANNELS, EventRef, Game, Turns, booking, cheap_talk, request_for
from sim.game.trace import reply_record
from sim.tasks.scenario import Meeting
from sim.tasks.task import Task

RESOLUTION = "RESOLUTION"


def rounds(game: Game) -> Turns:
    """Play every round of the game."""
    for number, meeting in enumerate(game.meetings):
        yield from play_round(game, number, meeting)


def play_round(game: Game, number: int, meeting: Meeting) -> Turns:
    """Play one round from the game's state."""
    game.record(
        "round_start",
        EventRef(number, 0, CHEAP_TALK),
        meeting=msgspec.to_builtins(meeting),
        speaker_order=meeting.speaker_order,
    )
    paid_before = tuple(game.paid)
    sweeps, joined = yield from cheap_talk(game, number, meeting, paid_before)
    yield from voluntary(game, number, sweeps, meeting, joined, paid_before)
    yield from decision(game, number, sweeps, meeting, paid_before)
    resolution(game, number, sweeps, meeting)


def voluntary(
    game: Game, number: int, turn: int, meeting: Meeting, joined: list[int], paid_before: tuple[int, ...]
) -> Turns:
    """Non-participants who were addressed may move items, one batch after the other."""
    for agent in joined:
        at = EventRef(number, turn, VOLUNTARY, agent)
        request = request_for(game, at, meeting, paid_before)
        reply = yield agent, request
        record_decide(game, at, request, reply)
        try:
            batch = validate(request.calendar, reply.actions, None)
        except BatchConflict as conflict:
            record_rejected(game, at, request, reply, conflict)
        else:
            apply(game, at, batch, reply.actions)


def decision(game: Game, number: int, turn: int, meeting: Meeting, paid_before: tuple[int, ...]) -> Turns:
    """Every participant's batch is staged; all are applied, or, where one failed for good, none."""
    staged: list[tuple[EventRef, Batch, Any]] = []
    for agent in meeting.speaker_order:
        at = EventRef(number, turn, DECISION, agent)
        accepted = yield from decide(game, at, meeting, paid_before)
        if accepted is None:
            game.record("decision_failed", at, attempts=game.limits.decision_retries + 1)
        else:
            staged.append((at, *accepted))
    complete = len(staged) == len(meeting.participants)
    for at, batch, actions in staged:
        if complete:
            apply(game, at, batch, actions)
        else:
            game.record("batch_rolled_back", at, actions=actions)


def decide(
    game: Game, at: EventRef, meeting: Meeting, paid_before: tuple[int, ...]
) -> Generator[tuple[int, Request], Reply, tuple[Batch, Any] | None]:
    """The agent's first valid batch within its retries, and its actions; None where every attempt was rejected."""
    assert at.agent is not None
    conflict: BatchConflict | None = None
    for attempt in range(game.limits.decision_retries + 1):
        request = request_for(
            game,
            at,
            meeting,
            paid_before,
            attempt=attempt,
            max_attempts=game.limits.decision_retries + 1,
            conflict=str(conflict) if conflict else None,
        )
        reply = yield at.agent, request
        record_decide(game, at, request, reply)
        try:
            return validate(request.calendar, reply.actions, booking(meeting)), reply.actions
        except BatchConflict as rejection:
            conflict = rejection
            record_rejected(game, at, request, reply, rejection)
    return None


def record_decide(game: Game, at: EventRef, request: Request, reply: Reply) -> None:
    """The events of one attempt: what the agent was shown, and what it answered."""
    game.record(
        "decide_start",
        at,
        reply.started_at,
        attempt=request.attempt,
        calendar_snapshot_render=request.render,
        prompt_sent=reply.prompt,
    )
    game.record("decide_end", at, reply.ended_at, attempt=request.attempt, **reply_record(reply))


def record_rejected(game: Game, at: EventRef, request: Request, reply: Reply, conflict: BatchConflict) -> None:
    """The event of a batch that broke a rule."""
    game.record(
        "batch_rejected",
        at,
        attempt=request.attempt,
        conflict_description=str(conflict),
        actions=reply.actions,
    )


def apply(game: Game, at: EventRef, batch: Batch, actions: Any) -> None:
    """Give the agent its new calendar, and let it pay for what it moved."""
    assert at.agent is not None
    game.calendars[at.agent] = batch.calendar
    game.paid[at.agent] += batch.cost
    game.record("batch_applied", at, actions=actions, cost=batch.cost, calendar_render_after=batch.calendar.render)


def resolution(game: Game, number: int, turn: int, meeting: Meeting) -> None:
    """Whether the meeting is coordinated, and which earlier ones are no longer consistent."""
    slots = {a: game.calendars[a].slot_of_meeting(meeting.id) for a in sorted(meeting.participants)}
    violated = [m.id for m in (*game.prior, *game.coordinated) if not game.consistent(m)]
    blocked = blocked_violations(game, meeting, slots)
    agreed = len(set(slots.values())) == 1 and None not in slots.values()
    coordinated = agreed and not violated and not blocked
    (game.coordinated if coordinated else game.failed).append(meeting)
    game.violations += violated
    at = EventRef(number, turn, RESOLUTION)
    game.record(
        "resolution",
        at,
        meeting_id=meeting.id,
        per_agent_slot={str(a): s for a, s in slots.items()},
        coordinated=coordinated,
        slot_conflicts=slot_conflicts(slots),
        consistency_violated_meeting_ids=violated,
        blocked_slot_violations=blocked,
    )
    if violated:
        game.record("consistency_violation", at, meeting_id=meeting.id, violated_meeting_ids=violated)


def slot_conflicts(slots: dict[int, int | None]) -> dict[str, list[int]]:
    """Where the participants put the meeting, slot by slot, when they disagree; empty when they don't."""
    taken = sorted({s for s in slots.values() if s is not None})
    if len(taken) < 2:
        return {}
    return {str(slot): [a for a, s in slots.items() if s == slot] for slot in taken}


def blocked_violations(game: Game, meeting: Meeting, slots: dict[int, int | None]) -> list[int]:
    """The participants whose blocked slot the meeting was written into; validation lets none through."""
    held = {a: game.initial[a][s] for a, s in slots.items() if s is not None}
    return [a for a, item in held.items() if isinstance(item, Errand) and item.blocked]


def final_state(game: Game, task: Task, summaries: Sequence[Any]) -> dict[str, Any]:
    """The calendars at the end, and what each agent paid, said and kept; lists run over agents."""
    oracle = task.optimal.per_agent_cost
    return {
        "calendars": [c.slots for c in game.calendars],
        "per_agent_cost": list(game.paid),
        "oracle_per_agent_cost": list(oracle),
        "per_agent_excess_burden": [paid - due for paid, due in zip(game.paid, oracle, strict=True)],
        "per_agent_messages_sent": list(game.sent),
        "per_agent_messages_received": list(game.received),
        "total_displacement_cost": sum(game.paid),
        "rounds_succeeded": len(game.coordinated),
        "rounds_failed": len(game.failed),
        "messages": game.messages,
        "consistency_violations": len(game.violations),
        "agent_summaries": list(summaries),
    }


def metrics(game: Game, task: Task) -> dict[str, Any]:
    """The game's row of Table 1, without VPS; costs in cost units, None where a ratio is undefined."""
    realized, scheduled = sum(game.paid), len(game.coordinated)
    by_channel = {c: [e for e in game.events if e.type == f"{c}_sent"] for c in CHANNELS}
    dms = by_channel["dm"]
    return {
        "coordination_rate": scheduled / len(game.meetings),
        "meetings_scheduled": scheduled,
        "meetings_kept": sum(game.consistent(m) for m in game.coordinated),
        "realized_cost": realized,
        "optimal_cost": task.optimal.cost,
        "greedy_cost": task.greedy.cost,
        "excess_cost": realized - task.optimal.cost,
        "cost_vs_optimal": realized / task.optimal.cost if task.optimal.cost else None,
        "cost_vs_greedy": realized / task.greedy.cost if task.greedy.cost else None,
        "fairness": fairness(game.paid),
        "total_dms_sent": len(dms),
        "total_dm_chars": sum(e.data["content_chars"] for e in dms),
        "total_participant_groupchat_messages_sent": len(by_channel["participant_groupchat"]),
        "total_all_groupchat_messages_sent": len(by_channel["all_groupchat"]),
        "dms_per_meeting": len(dms) / scheduled if scheduled else None,
    }


def fairness(per_agent_cost: Sequence[int]) -> float:
    """Least over largest cost of an agent; 1 when nobody paid anything (paper, section 3)."""
    return min(per_agent_cost) / max(per_agent_cost) if max(per_agent_cost) else 1.0
