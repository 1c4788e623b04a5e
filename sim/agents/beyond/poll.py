"""Polling with rising thresholds: who can at cost ≤ τ? Only as much is said as fixes the cheapest slot.

The initiator knows of each responder and slot which thresholds were refused, so what the slot costs it at least. It
always asks about the slot whose least possible total is lowest, at the next threshold of the ladder, and stops at the
first slot for which every answer is in: no other can be cheaper, as far as the ladder tells costs apart. A `survey`
opens with the lowest threshold for all slots at once: an initiator that asks about all says nothing of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

import msgspec
from msgspec import Struct

from sim.agents import Action, Request
from sim.agents.imap import local_cost
from sim.agents.scripted import ScriptedAgent, check_ladder, dm, others


class PollParameters(Struct, frozen=True, kw_only=True):
    """What an initiator asks.

    - `ladder`: the thresholds, ascending; after them comes "at any cost", which counts as `dear`.
    - `survey`: how many responders are first asked about all slots at once, at the lowest threshold (null: all).
    - `ties`: which of equal totals comes first: the `lowest` slot as in IMAP, or one that was asked about (`named`).
    - `patience`: the turns in which one slot is asked about; twice as many with each turn after, as turns run out.
    """

    ladder: tuple[int, ...] = (0, 1, 100)
    dear: int = 1000
    survey: int | None = None
    ties: Literal["lowest", "named"] = "lowest"
    patience: int = 6

    def __post_init__(self) -> None:
        check_ladder(self.ladder, self.dear)
        if min(self.patience, self.survey or 0) < 0:
            raise ValueError("patience and survey can't be negative")


class Survey(Struct, tag_field="poll", tag="survey"):
    """Which slots can you take at a cost up to `limit` (null: at any)? Says nothing of the sender."""

    meeting_id: int
    limit: int | None


class Ask(Struct, tag_field="poll", tag="ask"):
    """The sender can take these slots; can you, each at a cost up to its limit (null: at any)?"""

    meeting_id: int
    limits: dict[int, int | None]


class Answer(Struct, tag_field="poll", tag="answer"):
    """The slots that the sender can take at a cost up to the limit, and those that it can't; with the limits."""

    meeting_id: int
    can: dict[int, int | None]
    cannot: dict[int, int | None]


class Decision(Struct, tag_field="poll", tag="decision"):
    """The slot that the initiator has chosen."""

    meeting_id: int
    slot: int


Payload = Survey | Ask | Answer | Decision


class Poll(ScriptedAgent[Payload]):
    """One participant of a poll, initiator or responder as the meeting has it."""

    decoder = msgspec.json.Decoder(Payload)

    def __init__(self, parameters: PollParameters = PollParameters()) -> None:
        self.parameters = parameters
        self.prices = (*parameters.ladder, parameters.dear)

    def begin_round(self, request: Request) -> None:
        self.refused: dict[tuple[int, int], int] = {}  # (responder, slot) → how many thresholds it refused
        self.met: set[tuple[int, int]] = set()  # and where it met the next
        self.named: set[int] = set()  # slots that the initiator has said it can take
        self.pending: set[tuple[int, int]] = set()
        self.surveyed = False
        self.agreed: int | None = None

    def answer(self, request: Request, sender: int, payload: Payload) -> list[Action]:
        match payload:
            case Survey():
                every: dict[int, int | None] = dict.fromkeys(range(len(request.calendar)), payload.limit)
                return [dm(sender, request.meeting, self.reply(request, every))]
            case Ask():
                return [dm(sender, request.meeting, self.reply(request, payload.limits))]
            case Answer():
                self.note(sender, payload)
            case Decision():
                self.agreed = payload.slot
        return []

    def reply(self, request: Request, limits: dict[int, int | None]) -> Answer:
        """Which of the slots the agent can take within their limits."""
        costs = {s: local_cost(request.calendar, s) for s in limits}
        can = {s for s, c in costs.items() if c is not None and ((top := limits[s]) is None or c <= top)}
        met = {s: limit for s, limit in limits.items() if s in can}
        return Answer(request.meeting.id, met, {s: limit for s, limit in limits.items() if s not in can})

    def note(self, sender: int, answer: Answer) -> None:
        """Keep what was asked and answered; anything else is passed over."""
        for slot in [s for s in answer.can if (sender, s) in self.pending]:
            self.met.add((sender, slot))
            self.pending.discard((sender, slot))
        for slot in [s for s in answer.cannot if (sender, s) in self.pending]:
            self.refused[sender, slot] = self.refused.get((sender, slot), 0) + 1
            self.pending.discard((sender, slot))

    def lead(self, request: Request) -> list[Action]:
        """The initiator's part: survey, ask about what may be cheapest, decide when nothing can be cheaper."""
        meeting, responders = request.meeting, others(request.meeting, self.me)
        if self.agreed is not None or self.pending:
            return []
        first = [] if self.surveyed else responders[: self.parameters.survey]
        self.surveyed = True
        if first:
            self.pending = {(a, s) for a in first for s in range(len(request.calendar))}
            return [dm(a, meeting, Survey(meeting.id, self.limit(a, 0))) for a in first]
        ranked = self.ranked(request, responders)
        settled = [s for s in ranked if self.settled(s, responders)]
        if settled and (settled[0] == ranked[0] or request.turn >= request.max_turns - 2):
            self.agreed = settled[0]
            return [dm(a, meeting, Decision(meeting.id, self.agreed)) for a in responders]
        breadth = 1 << max(0, request.turn - self.parameters.patience)
        return self.ask(request, [s for s in ranked if s not in settled][:breadth])

    def ranked(self, request: Request, responders: list[int]) -> list[int]:
        """The slots that may still be possible for all, by the least that they can cost in total.

        Among equals by `ties`, then the lowest.
        """
        order: dict[int, tuple[int, bool, int]] = {}
        for slot in range(len(request.calendar)):
            own = local_cost(request.calendar, slot)
            steps = [self.refused.get((a, slot), 0) for a in responders]
            if own is not None and all(step < len(self.prices) for step in steps):
                total = own + sum(self.prices[step] for step in steps)
                order[slot] = (total, self.parameters.ties == "named" and slot not in self.named, slot)
        return sorted(order, key=lambda s: order[s])

    def settled(self, slot: int, responders: Iterable[int]) -> bool:
        """Whether every responder has met a threshold for the slot."""
        return all((a, slot) in self.met for a in responders)

    def ask(self, request: Request, slots: list[int]) -> list[Action]:
        """Ask about the slots: of each the first responder that has not met its threshold."""
        meeting = request.meeting
        limits: dict[int, dict[int, int | None]] = {}
        for slot in slots:
            agent = next(a for a in others(meeting, self.me) if (a, slot) not in self.met)
            limits.setdefault(agent, {})[slot] = self.limit(agent, slot)
        self.named |= set(slots)
        self.pending = {(a, s) for a, asked in limits.items() for s in asked}
        return [dm(a, meeting, Ask(meeting.id, asked)) for a, asked in sorted(limits.items())]

    def limit(self, agent: int, slot: int) -> int | None:
        """The next threshold for the agent's slot; None for any cost."""
        step = self.refused.get((agent, slot), 0)
        return self.parameters.ladder[step] if step < len(self.parameters.ladder) else None


class SpokenPoll(Poll):
    """One participant of a poll who puts it into plain English: a program that follows the protocol, and no model."""

    def received(self, request: Request) -> Iterator[tuple[int, Payload]]:
        for message in request.inbox:
            if message.meeting_id == request.meeting.id:
                payload = read_english(message.content, message.meeting_id)
                if payload is not None:
                    yield message.sender, payload

    def talk(self, request: Request) -> list[Action]:
        return [a | {"content": spoken(self.decoder.decode(a["content"]))} for a in super().talk(request)]


def spoken(payload: Payload) -> str:
    """The message in English."""
    match payload:
        case Survey(limit=0):
            return "Which slots are free for you?"
        case Survey():
            return f"Which slots could you do at {cost_of(payload.limit)}?"
        case Ask():
            sentences = [f"I can do {named(slots)}. {question(limit)}" for limit, slots in by_limit(payload.limits)]
        case Answer():
            sentences = [claim(slots, limit, True) for limit, slots in by_limit(payload.can)]
            sentences += [claim(slots, limit, False) for limit, slots in by_limit(payload.cannot)]
        case Decision():
            return f"Let's take slot {payload.slot}."
    return " ".join(sentences)


def by_limit(limits: Mapping[int, int | None]) -> list[tuple[int | None, list[int]]]:
    """The slots of each limit, in the order in which limits first come."""
    return [(limit, [s for s in limits if limits[s] == limit]) for limit in dict.fromkeys(limits.values())]


def named(slots: list[int]) -> str:
    """slot 3; slots 3, 5 and 8."""
    *most, last = map(str, slots)
    return f"slots {', '.join(most)} and {last}" if most else f"slot {last}"


def cost_of(limit: int | None) -> str:
    return "any cost" if limit is None else f"a cost of at most {limit}"


def question(limit: int | None) -> str:
    return "Are you free then?" if limit == 0 else f"Could you, at {cost_of(limit)}?"


def claim(slots: list[int], limit: int | None, holds: bool) -> str:
    """That the slots can, or can't, be taken within the limit."""
    if limit == 0:
        return f"I'm {'' if holds else 'not '}free at {named(slots)}."
    return f"I can{'' if holds else 'not'} do {named(slots)} at {cost_of(limit)}."


SLOTS, COST = r"slots? ([\d, and]+)", r"at (any cost|a cost of at most \d{1,9})"
ASKED = re.compile(rf"I can do {SLOTS}\. (?:Are you (free) then|Could you, {COST})\?")
FREE = re.compile(rf"I'm (not )?(free) at {SLOTS}\.")
CLAIMED = re.compile(rf"I can(not)? do {SLOTS} {COST}\.")
SURVEYED = re.compile(rf"Which slots (?:are (free) for you|could you do {COST})\?")
DECIDED = re.compile(r"Let's take slot (\d{1,9})\.")


def read_english(text: str, meeting: int) -> Payload | None:
    """The message that the English says; None where it says none of a poll's."""
    if match := DECIDED.fullmatch(text):
        return Decision(meeting, int(match[1]))
    if match := SURVEYED.fullmatch(text):
        return Survey(meeting, limit_of(match[1] or match[2]))
    if asked := ASKED.findall(text):
        return Ask(meeting, {s: limit_of(free or cost) for slots, free, cost in asked for s in numbers(slots)})
    claims = [(never, slots, limit_of(free)) for never, free, slots in FREE.findall(text)]
    claims += [(never, slots, limit_of(cost)) for never, slots, cost in CLAIMED.findall(text)]
    can, cannot = ({s: limit for no, slots, limit in claims if bool(no) == never for s in numbers(slots)}
                   for never in (False, True))  # fmt: skip
    return Answer(meeting, can, cannot) if claims else None


def limit_of(words: str) -> int | None:
    """The limit that the words name: free, any cost, or the figure at their end."""
    return {"free": 0, "any cost": None}[words] if words in ("free", "any cost") else int(words.rsplit(" ", 1)[1])


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d{1,9}", text)]
