"""VOLUNTARY, DECISION and RESOLUTION played again: batches are checked, staged and applied, and rounds resolved."""

from typing import Any, NamedTuple

from pipeline.traces.audit.batch_rules import Meeting, Verdict, check_batch, names_broken_rule
from pipeline.traces.audit.calendar import Calendar, parse_calendar, render, slot_of
from pipeline.traces.audit.game import AgentEventRef, BrokenOff, Game
from pipeline.traces.audit.trace import DECISION, FINAL, RESOLUTION, VOLUNTARY, DecisionEvents


class Staged(NamedTuple):
    """A batch that passed, by the rules or in the record: who submitted it when, its actions and its verdict."""

    ref: AgentEventRef
    actions: Any
    verdict: Verdict


def replay_voluntary(game: Game, number: int, turn: int, meeting: Meeting, joined: list[int]) -> None:
    """Those who joined may move items, one batch after the other."""
    for agent in joined:
        ref = (number, turn, VOLUNTARY, agent)
        record = decision_events(game, ref)
        actions = submitted_actions(game, record, 0)
        expect_attempt(game, ref, meeting, "voluntary", 0)
        staged = judge_recorded(game, ref, actions, None, record, 0)
        if staged:
            apply_batch(game, staged, record)


def replay_decision(game: Game, number: int, turn: int, meeting: Meeting) -> None:
    """All batches are judged first; then all are applied, or none."""
    staged, records = [], {}
    for agent in meeting.order:
        ref = (number, turn, DECISION, agent)
        records[agent] = decision_events(game, ref)
        replay_attempts = replay_public_attempts if game.public else replay_own_attempts
        batch = replay_attempts(game, ref, meeting, records[agent])
        if batch:
            staged.append(batch)
        else:
            game.expect("decision_failed", ref, attempts=game.setup.retries + 1)
    passed = len(staged) == len(meeting.order)
    kinds = {agent: final_kind(game, record) for agent, record in records.items()}
    for batch in staged:
        close_batch(game, batch, records[batch.ref[3]], kinds[batch.ref[3]], passed)


def close_batch(game: Game, batch: Staged, record: DecisionEvents, kind: str | None, passed: bool) -> None:
    """Apply a staged batch or roll it back: as all passed or not, or as the record did."""
    wanted = "batch_applied" if passed else "batch_rolled_back"
    if kind not in (None, wanted):
        round_, _, _, agent = batch.ref
        game.findings.add("not_all_or_none", wanted, kind, event=record.final[0], round=round_, agent=agent)
        passed = not passed
    if passed:
        apply_batch(game, batch, record)
    else:
        game.expect("batch_rolled_back", batch.ref, actions=batch.actions)


def decision_events(game: Game, ref: AgentEventRef) -> DecisionEvents:
    """Where the agent's decision of this phase is recorded."""
    record = game.index.decides.get((ref[0], ref[2], ref[3]))
    if record is None and game.open_ended:
        raise BrokenOff(ref[3])
    return record or DecisionEvents()


def final_kind(game: Game, record: DecisionEvents) -> str | None:
    """Whether the record applied the agent's batch or rolled it back."""
    kinds = [game.index.events[n].type for n in record.final]
    return next((kind for kind in kinds if kind in FINAL), None)


def submitted_actions(game: Game, record: DecisionEvents, attempt: int) -> Any:
    """What the agent answered at its attempt; where that is not recorded, what its batch's event holds."""
    data = game.index.data
    if attempt < len(record.ends):
        calls = data(record.ends[attempt]).get("tool_calls")
        return [] if calls is None and game.public else calls
    if attempt < len(record.rejected):
        return data(record.rejected[attempt]).get("actions")
    return data(record.final[0]).get("actions") if record.final else []


def expect_attempt(
    game: Game, ref: AgentEventRef, meeting: Meeting, kind: str, attempt: int, conflict: Any = None
) -> None:
    """The two events of an attempt: what the agent was shown, and that it answered."""
    shown = game.view_of(ref[3], kind, meeting, conflict=conflict if isinstance(conflict, str) else None)
    game.expect("decide_start", ref, shown, attempt=attempt)
    game.expect("decide_end", ref, attempt=attempt)


def replay_own_attempts(game: Game, ref: AgentEventRef, meeting: Meeting, record: DecisionEvents) -> Staged | None:
    """The first batch that passes within the retries; every attempt leaves its events."""
    conflict: Any = None
    limit = game.setup.retries + 1
    if max(len(record.ends), len(record.rejected)) > limit:
        game.findings.add("wrong_attempt", limit, len(record.ends), "attempts", round=ref[0], agent=ref[3])
    for attempt in range(limit):
        if game.open_ended and attempt >= max(len(record.ends), len(record.starts)):
            raise BrokenOff(ref[3])
        expect_attempt(game, ref, meeting, "retry" if attempt else "decision", attempt, conflict)
        staged = judge_recorded(game, ref, submitted_actions(game, record, attempt), meeting, record, attempt)
        if staged:
            return staged
        conflict = rejection(game, record, attempt).get("conflict_description")
    return None


def replay_public_attempts(game: Game, ref: AgentEventRef, meeting: Meeting, record: DecisionEvents) -> Staged | None:
    """The same where retries leave only their rejections, and decide_end keeps the first attempt's actions."""
    expect_attempt(game, ref, meeting, "decision", 0)
    first = submitted_actions(game, record, 0)
    limit = game.setup.retries + 1
    for attempt in range(min(len(record.rejected), limit)):
        judge_recorded(game, ref, rejection(game, record, attempt).get("actions"), meeting, record, attempt)
    if record.failed or len(record.rejected) >= limit:
        return None
    last = game.index.data(record.final[0]).get("actions") if record.final and record.rejected else first
    return judge_recorded(game, ref, last, meeting, record, len(record.rejected))


def rejection(game: Game, record: DecisionEvents, attempt: int) -> dict[str, Any]:
    """The data of the rejection of this attempt; empty where there is none."""
    listed = [game.index.data(n) for n in record.rejected]
    return next((d for d in listed if d.get("attempt") == attempt), {}) if attempt >= len(listed) else listed[attempt]


def judge_recorded(
    game: Game, ref: AgentEventRef, actions: Any, meeting: Meeting | None, record: DecisionEvents, attempt: int
) -> Staged | None:
    """The batch if the record let it pass, None if it rejected it; reports where the rules say otherwise."""
    verdict = check_batch(game.calendars[ref[3]], actions, meeting)
    where: dict[str, Any] = {"round": ref[0], "agent": ref[3]}
    was_rejected = attempt < len(record.rejected)
    last = attempt + 1 >= max(len(record.ends), len(record.rejected) + 1)
    if verdict.broken and not was_rejected and last and record.final:
        for rule in verdict.broken:
            game.findings.add(rule.code, "a rejection", actions, rule.detail, event=record.final[0], **where)
        return Staged(ref, actions, verdict)
    if not verdict.broken and not was_rejected:
        return Staged(ref, actions, verdict)
    if was_rejected:
        text = rejection(game, record, attempt).get("conflict_description")
        where["event"] = record.rejected[attempt]
        if not verdict.broken:
            game.findings.add("false_rejection", "a valid batch", text, **where)
        elif not (names_broken_rule(text, verdict.broken) or (game.public and isinstance(text, str) and text)):
            game.findings.add("wrong_conflict", [rule.code for rule in verdict.broken], text, **where)
    numbered: dict[str, Any] = {} if meeting is None and game.public else {"attempt": attempt}
    game.expect("batch_rejected", ref, actions=actions, **numbered)
    return None


def apply_batch(game: Game, batch: Staged, record: DecisionEvents) -> None:
    """The agent's calendar after its batch, and what it pays; after an invalid batch, the record's calendar."""
    agent = batch.ref[3]
    after = recorded_calendar(game, batch, record) if batch.verdict.broken else batch.verdict.after
    if after != game.calendars[agent]:
        game.spend(rendered=len(render(after)) + len(game.rendering_for(after)))
    game.calendars[agent] = after
    game.paid[agent] += batch.verdict.cost
    facts: dict[str, Any] = {} if game.public else {"cost": batch.verdict.cost}
    game.expect("batch_applied", batch.ref, actions=batch.actions, calendar_render_after=render(after), **facts)


def recorded_calendar(game: Game, batch: Staged, record: DecisionEvents) -> Calendar:
    """The calendar that the record shows after a batch that breaks a rule."""
    before = batch.verdict.after
    shown = parse_calendar(game.index.data(record.final[0]).get("calendar_render_after")) if record.final else None
    return shown if shown and len(shown) == len(before) else before


def replay_resolution(game: Game, number: int, turn: int, meeting: Meeting) -> None:
    """Whether the calendars hold the meeting once, and which earlier ones they no longer do."""
    slots = {agent: slot_of(game.calendars[agent], meeting.id) for agent in sorted(meeting.participants)}
    violated = [m.id for m in (*game.prior, *game.coordinated) if not game.holds_once(m)]
    touched = [a for a, s in slots.items() if s is not None and is_blocked(game, a, s)]
    coordinated = game.holds_once(meeting) and not violated and not touched
    (game.coordinated if coordinated else game.failed).append(meeting)
    game.violations += len(violated)
    game.expect(
        "resolution",
        (number, turn, RESOLUTION, None),
        meeting_id=meeting.id,
        per_agent_slot={str(a): s for a, s in slots.items()},
        coordinated=coordinated,
        slot_conflicts=slot_conflicts(slots),
        consistency_violated_meeting_ids=violated,
        blocked_slot_violations=touched,
    )
    if violated:
        ref = (number, turn, RESOLUTION, None)
        game.expect("consistency_violation", ref, meeting_id=meeting.id, violated_meeting_ids=violated)


def is_blocked(game: Game, agent: int, slot: int) -> bool:
    """Whether the agent's slot was blocked at first."""
    item = game.setup.calendars[agent][slot]
    return bool(item and item.blocked)


def slot_conflicts(slots: dict[int, int | None]) -> dict[str, list[int]]:
    """Slot → participants who hold the meeting there, where there are two slots or more."""
    taken = sorted({s for s in slots.values() if s is not None})
    return {str(s): [a for a, at in slots.items() if at == s] for s in taken} if len(taken) > 1 else {}


def without_costs(actions: Any) -> Any:
    """The actions without the cost that the public harness adds to those it applied."""
    if not isinstance(actions, list):
        return actions
    return [{k: v for k, v in a.items() if k != "cost"} if isinstance(a, dict) else a for a in actions]
