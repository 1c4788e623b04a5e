"""A second game, as the paper tells it and as slow and plain as can be: nothing of it is the engine's.

A calendar is a list of slots: None where free, else (kind, id, cost, blocked), kind errand or meeting.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Item = tuple[str, int, int, bool]
Calendar = list[Item | None]
CHANNELS = ("dm", "participant_groupchat", "all_groupchat")


class Meeting(NamedTuple):
    """A meeting, in whose round its members speak in this order."""

    id: int
    cost: int
    order: tuple[int, ...]


class Rules(NamedTuple):
    """What a game allows: sweeps, retries, messages (None: any number) and channels."""

    sweeps: int
    retries: int
    cap: int | None
    channels: tuple[str, ...]


class Result(NamedTuple):
    """A round's end: the members' slots, whether they agree and nothing is broken, and what is broken."""

    slots: dict[int, int | None]
    coordinated: bool
    broken: list[int]
    blocked: list[int]


def after_batch(calendar: Calendar, actions: Any, meeting: Meeting | None) -> tuple[Calendar, int] | None:
    """(the calendar after the batch, what it costs); None where it breaks a rule of Appendix D.5. Only a batch of
    DECISION has a meeting to schedule."""
    if not isinstance(actions, list) or not all(isinstance(action, dict) for action in actions):
        return None
    moves = [a for a in actions if a.get("type") == "reschedule"]
    bookings = [a for a in actions if a.get("type") == "schedule"]
    if len(moves) + len(bookings) < len(actions) or len(bookings) != (meeting is not None):
        return None
    named = [a.get(slot) for a in moves for slot in ("from_slot", "to_slot")] + [b.get("slot") for b in bookings]
    if not all(type(slot) is int and 0 <= slot < len(calendar) for slot in named):
        return None
    after, cost = list(calendar), 0
    for a in moves:
        item = after[a["from_slot"]]
        if item is None or type(a.get("item_id")) is not int or item[1] != a["item_id"] or item[3]:
            return None
        after[a["from_slot"]], cost = None, cost + item[2]
    for a in moves:
        if after[a["to_slot"]] is not None or a["to_slot"] == a["from_slot"]:
            return None
        after[a["to_slot"]] = calendar[a["from_slot"]]
    for b in bookings:
        if meeting is None or type(b.get("meeting_id")) is not int or b["meeting_id"] != meeting.id:
            return None
        if after[b["slot"]] is not None:
            return None
        after[b["slot"]] = ("meeting", meeting.id, meeting.cost, False)
    return after, cost


class BruteForce:
    """A game played by hand. reply: (agent, phase, round, sweep or attempt) → what the agent answers."""

    def __init__(
        self, calendars: list[Calendar], prior: list[Meeting], rules: Rules, reply: Callable[[int, str, int, int], Any]
    ) -> None:
        self.calendars, self.rules, self.reply = calendars, rules, reply
        self.initial = [list(calendar) for calendar in calendars]
        self.kept = list(prior)
        self.inboxes: list[list[Any]] = [[] for _ in calendars]
        self.paid = [0 for _ in calendars]
        self.read: list[Any] = []  # (round, sweep, agent, its inbox)
        self.sent: list[Any] = []  # (round, sender, channel, readers, content)
        self.batches: list[Any] = []  # (what became of it, round, agent)
        self.results: list[Result] = []

    def play(self, meetings: list[Meeting]) -> BruteForce:
        """Play the rounds of these meetings."""
        for number, meeting in enumerate(meetings):
            joined = self.talk(number, meeting)
            for agent in joined:
                done = after_batch(self.calendars[agent], self.reply(agent, "VOLUNTARY", number, 0), None)
                self.batches.append(("batch_applied" if done else "batch_rejected", number, agent))
                if done:
                    self.apply(agent, *done)
            self.decide(number, meeting)
            self.resolve(meeting)
        return self

    def talk(self, number: int, meeting: Meeting) -> list[int]:
        """Sweeps until a silent one; those who are written to speak in the same sweep. Returns who joined."""
        speakers = list(meeting.order)
        for sweep in range(self.rules.sweeps):
            before, spoken = len(self.sent), 0
            while spoken < len(speakers):
                for agent in speakers[spoken:]:
                    self.speak(number, sweep, agent, meeting)
                    spoken += 1
                written_to = {a for n, _, _, readers, _ in self.sent if n == number for a in readers}
                speakers += sorted(written_to - set(speakers))
            if len(self.sent) == before:
                break
        return sorted(set(speakers) - set(meeting.order))

    def speak(self, number: int, sweep: int, agent: int, meeting: Meeting) -> None:
        """One turn: the inbox is emptied, and each call is delivered or refused."""
        self.read.append((number, sweep, agent, self.inboxes[agent]))
        self.inboxes[agent] = []
        calls = self.reply(agent, "CHEAP_TALK", number, sweep)
        for call in calls if isinstance(calls, list) else [calls]:
            readers = self.readers(agent, call, meeting)
            if readers is not None:
                self.sent.append((number, agent, call["type"], readers, call["content"]))
                for reader in readers:
                    self.inboxes[reader].append((agent, call["type"], call["content"]))

    def readers(self, agent: int, call: Any, meeting: Meeting) -> list[int] | None:
        """Who gets the message; None where the call is none, or may not be sent."""
        channel = call.get("type") if isinstance(call, dict) else None
        full = self.rules.cap is not None and len(self.sent) >= self.rules.cap
        if channel not in self.rules.channels or not isinstance(call["content"], str) or full:
            return None
        everybody = range(len(self.calendars))
        if channel == "dm":
            to = call.get("to")
            return [to] if type(to) is int and to in everybody and to != agent else None
        members = meeting.order if channel == "participant_groupchat" else everybody
        return sorted(a for a in members if a != agent)

    def decide(self, number: int, meeting: Meeting) -> None:
        """Each member's first valid batch within its retries; all are applied, or none."""
        staged = {}
        for agent in meeting.order:
            for attempt in range(self.rules.retries + 1):
                actions = self.reply(agent, "DECISION", number, attempt)
                done = after_batch(self.calendars[agent], actions, meeting)
                if done:
                    staged[agent] = done
                    break
                self.batches.append(("batch_rejected", number, agent))
            else:
                self.batches.append(("decision_failed", number, agent))
        whole = len(staged) == len(meeting.order)
        for agent, done in staged.items():
            self.batches.append(("batch_applied" if whole else "batch_rolled_back", number, agent))
            if whole:
                self.apply(agent, *done)

    def apply(self, agent: int, calendar: Calendar, cost: int) -> None:
        """The agent's new calendar, for which it pays."""
        self.calendars[agent] = calendar
        self.paid[agent] += cost

    def resolve(self, meeting: Meeting) -> None:
        """Coordinated: one slot for all, no earlier meeting broken, nobody's blocked slot taken."""
        slots = {agent: self.slot(agent, meeting) for agent in sorted(meeting.order)}
        broken = [m.id for m in self.kept if not self.stands(m)]
        held = {agent: self.initial[agent][slot] for agent, slot in slots.items() if slot is not None}
        blocked = [agent for agent, item in held.items() if item and item[3]]
        coordinated = self.stands(meeting) and not broken and not blocked
        self.results.append(Result(slots, coordinated, broken, blocked))
        if coordinated:
            self.kept.append(meeting)

    def stands(self, meeting: Meeting) -> bool:
        """Whether one slot holds the meeting on the calendars of all its members."""
        slots = {self.slot(agent, meeting) for agent in meeting.order}
        return None not in slots and len(slots) == 1

    def slot(self, agent: int, meeting: Meeting) -> int | None:
        """Where the agent's calendar holds the meeting."""
        held = [s for s, item in enumerate(self.calendars[agent]) if item and item[:2] == ("meeting", meeting.id)]
        return held[0] if held else None
