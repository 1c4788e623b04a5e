"""The state of a game while it is audited, and how talk moves it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pipeline.traces.audit.batch import Meeting
from pipeline.traces.audit.calendar import Calendar, labelled, render, slot_of
from pipeline.traces.audit.codes import Findings
from pipeline.traces.audit.record import CHEAP_TALK, SENT, Index, Raw, Setup, Turn


class BrokenOff(Exception):
    """The record has no answer for a turn, and no end."""


Place = tuple[int, int, str, int | None]  # round, turn, phase, agent
AgentPlace = tuple[int, int, str, int]


class Shown(NamedTuple):
    """What an agent was told at one moment.

    `kind` is opening (in public traces announcement), turn, voluntary, decision or retry.
    """

    kind: str
    bare: str
    text: str
    calendar: Calendar
    inbox: list[dict[str, Any]]
    paid: int
    meeting: Meeting
    conflict: str | None = None


class Expected(NamedTuple):
    """An event that the replay gives: its kind and place, the fields it must have, and what its agent was shown."""

    type: str
    round: int
    turn: int
    phase: str
    agent: int | None
    want: dict[str, Any]
    shown: Shown | None = None


@dataclass
class Game:
    """The game as it stands, and what it has given so far."""

    setup: Setup
    index: Index
    findings: Findings
    public: bool
    open_ended: bool
    calendars: list[Calendar]
    expected: list[Expected] = field(default_factory=list)
    inboxes: list[list[dict[str, Any]]] = field(default_factory=list)
    paid: list[int] = field(default_factory=list)
    paid_before: list[int] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    received: list[int] = field(default_factory=list)
    messages: list[tuple[str, int]] = field(default_factory=list)
    told: set[int] = field(default_factory=set)
    addressed: set[int] = field(default_factory=set)
    coordinated: list[Meeting] = field(default_factory=list)
    failed: list[Meeting] = field(default_factory=list)
    violations: int = 0
    disagreements: int = 0
    broken_off: bool = False
    texts: dict[Calendar, str] = field(default_factory=dict)

    def expect(self, kind: str, place: Place, shown: Shown | None = None, **want: Any) -> None:
        """Add an event that the trace should have here."""
        self.expected.append(Expected(kind, *place, want, shown))

    def holds_once(self, meeting: Meeting) -> bool:
        """Whether all participants hold the meeting in one and the same slot."""
        places = {slot_of(self.calendars[a], meeting.id) for a in meeting.participants}
        return len(places) == 1 and places != {None}

    def shown_to(self, agent: int, kind: str, meeting: Meeting, **more: Any) -> Shown:
        """What the agent is told now."""
        calendar = self.calendars[agent]
        inbox = more.pop("inbox", [])
        text = self.text_for(calendar)
        return Shown(kind, render(calendar), text, calendar, inbox, self.paid_before[agent], meeting, **more)

    def text_for(self, calendar: Calendar) -> str:
        """The calendar as its agent is shown it: with labels, where the game has them."""
        if not self.setup.hydrated:
            return render(calendar)
        text = self.texts.get(calendar)
        if text is None:
            text = self.texts[calendar] = labelled(calendar, self.setup.labels)
        return text


def start(raw: Raw, setup: Setup, findings: Findings) -> Game:
    """The game before its first event."""
    agents = len(setup.calendars)
    return Game(
        setup,
        Index(raw.events),
        findings,
        raw.public,
        open_ended=not any(e.type == "game_end" for e in raw.events),
        calendars=list(setup.calendars),
        inboxes=[[] for _ in range(agents)],
        paid=[0] * agents,
        paid_before=[0] * agents,
        sent=[0] * agents,
        received=[0] * agents,
    )


def cheap_talk(game: Game, number: int, meeting: Meeting) -> tuple[int, list[int]]:
    """Sweeps until a silent one or the budget's end. Returns their number, and who joined, ascending."""
    active = list(meeting.order)
    for turn in range(game.setup.max_turns):
        said, acted = len(game.messages), 0
        while acted < len(active):
            for agent in active[acted:]:
                take_turn(game, number, turn, agent, meeting)
                acted += 1
            active += sorted(game.addressed.difference(active))
        if len(game.messages) == said:
            return turn + 1, sorted(set(active) - set(meeting.participants))
    return game.setup.max_turns, sorted(set(active) - set(meeting.participants))


def take_turn(game: Game, number: int, turn: int, agent: int, meeting: Meeting) -> None:
    """One turn: the inbox is drained, and the recorded calls take effect."""
    record = game.index.turns.get((number, turn, agent))
    if record is None or (record.start is None and record.end is None):
        if game.open_ended:
            raise BrokenOff
        record = record or Turn()
    inbox, game.inboxes[agent] = game.inboxes[agent], []
    shown = game.shown_to(agent, turn_kind(game, agent, meeting), meeting, inbox=inbox)
    game.told.add(agent)
    place = (number, turn, CHEAP_TALK, agent)
    game.expect("turn_start", place, shown, inbox_drained=inbox)
    game.expect("turn_end", place)
    calls = list(calls_of(game, record))
    verdicts = record.outcomes if len(record.outcomes) == len(calls) else [None] * len(calls)
    for call, outcome in zip(calls, verdicts, strict=True):
        carry(game, place, meeting, call, outcome)


def turn_kind(game: Game, agent: int, meeting: Meeting) -> str:
    """What the agent is told in this turn: an opening tells of the round and its calendar, a turn of its messages only.

    Ours opens the round with messages for those who join as well; the public harness gives them a turn (Table 6).
    """
    if agent in game.told or (game.public and agent not in meeting.participants):
        return "turn"
    return "announcement" if game.public else "opening"


def calls_of(game: Game, record: Turn) -> Iterator[Any]:
    """The calls that an answer holds; where the answer is not recorded, those that its messages show."""
    if record.end is not None:
        calls = game.index.data(record.end).get("tool_calls")
        if game.public and calls is None:
            return
        yield from calls if isinstance(calls, list) else [calls]
        return
    for number in record.outcomes:
        kind, data = game.index.events[number].type, game.index.data(number)
        if kind in SENT:
            yield {"type": SENT[kind], "to": data.get("to_agent"), "content": data.get("content")}
        else:
            yield data.get("tool_call")


def carry(game: Game, place: AgentPlace, meeting: Meeting, call: Any, outcome: int | None) -> None:
    """Deliver a call or refuse it: as the rules say, or, where the record did otherwise and it could, as it did."""
    problem = objection(game, place[3], call)
    recorded = game.index.events[outcome].type if outcome is not None else None
    if recorded in SENT and problem and problem[1]:
        code = "dm_cap" if problem[0] == "cap" else "delivered_invalid"
        game.findings.add(code, "a refusal", call, problem[0], event=outcome, round=place[0], agent=place[3])
        problem = None
    elif recorded == "invalid_tool_call" and not problem:
        game.findings.add("refused_valid", "a delivery", call, event=outcome, round=place[0], agent=place[3])
        problem = ("refused", False)
    if problem:
        game.expect("invalid_tool_call", place, tool_call=call)
    else:
        deliver(game, place, meeting, call)


def objection(game: Game, sender: int, call: Any) -> tuple[str, bool] | None:
    """Why a call is no valid message, and whether it could be delivered all the same; None where it is one."""
    if not isinstance(call, dict) or not isinstance(call.get("type"), str) or f"{call['type']}_sent" not in SENT:
        return "not a message", False
    if not isinstance(call.get("content"), str):
        return "no content", False
    if call["type"] == "dm" and (type(call.get("to")) is not int or not 0 <= call["to"] < len(game.calendars)):
        return "no such recipient", False
    if call["type"] == "dm" and call["to"] == sender:
        return "to itself", True
    if call["type"] not in game.setup.channels:
        return "closed channel", True
    cap = None if game.public else game.setup.dm_cap
    return ("cap", True) if cap is not None and len(game.messages) >= cap else None


def deliver(game: Game, place: AgentPlace, meeting: Meeting, call: dict[str, Any]) -> None:
    """Put the message into the inboxes of those who receive it, ascending."""
    sender, channel, content = place[3], call["type"], call["content"]
    members = sorted(meeting.participants) if channel == "participant_groupchat" else range(len(game.calendars))
    readers = [call["to"]] if channel == "dm" else [a for a in members if a != sender]
    game.messages.append((channel, len(content)))
    game.sent[sender] += 1
    for agent in readers:
        game.received[agent] += 1
        entry = {"from": sender, "to": agent, "channel": channel, "meeting_id": meeting.id, "content": content}
        game.inboxes[agent].append(entry)
    game.addressed.update(readers)
    whom = {"to_agent": readers[0]} if channel == "dm" else {"to_agents": readers}
    facts = {"from_agent": sender, "meeting_id": meeting.id, "content": content, "channel": channel, **whom}
    game.expect(f"{channel}_sent", place, content_chars=len(content), **facts)
