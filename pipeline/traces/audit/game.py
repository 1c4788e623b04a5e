"""A game as the auditor replays it: calendars, inboxes, and how talk moves them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pipeline.traces.audit.batch_rules import Meeting
from pipeline.traces.audit.calendar import MEETING, Calendar, render, render_with_labels, slot_of
from pipeline.traces.audit.divergences import Findings
from pipeline.traces.audit.trace import CHEAP_TALK, SENT, EventIndex, Setup, Trace, TurnEvents, Unreadable

# What replaying one trace may take, far beyond any game that is played: slots looked at, messages in inboxes,
# characters of the calendars that agents come to have, and events of the replay that are not in the record.
MOST_STEPS = 50_000_000
MOST_DELIVERIES = 1_000_000
MOST_RENDERED = 64_000_000
MOST_MISSING = 10_000


class BrokenOff(Exception):
    """The record ends in the middle of a game: where this agent was to answer, or, without one, between two rounds."""

    def __init__(self, agent: int | None = None) -> None:
        super().__init__(agent)
        self.agent = agent


EventRef = tuple[int, int, str, int | None]  # round, turn, phase, agent
AgentEventRef = tuple[int, int, str, int]


class AgentView(NamedTuple):
    """What an agent was shown at one moment: its calendar (`unlabelled` and as it was rendered), inbox and penalty.

    `kind` is opening (in public traces announcement), turn, voluntary, decision or retry.
    """

    kind: str
    unlabelled: str
    rendering: str
    calendar: Calendar
    inbox: list[dict[str, Any]]
    paid: int
    meeting: Meeting
    conflict: str | None = None


class ExpectedEvent(NamedTuple):
    """An event of the replay: its type, when and whose it is, the fields it must have, and what its agent was shown."""

    type: str
    round: int
    turn: int
    phase: str
    agent: int | None
    fields: dict[str, Any]
    shown: AgentView | None = None


@dataclass
class Game:
    """The state of the replayed game, and the events that it expects of the trace."""

    setup: Setup
    index: EventIndex
    findings: Findings
    public: bool
    open_ended: bool
    calendars: list[Calendar]
    expected: list[ExpectedEvent] = field(default_factory=list)
    inboxes: list[list[dict[str, Any]]] = field(default_factory=list)
    paid: list[int] = field(default_factory=list)
    paid_before: list[int] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    received: list[int] = field(default_factory=list)
    messages: list[tuple[str, int]] = field(default_factory=list)
    informed: set[int] = field(default_factory=set)
    addressed: set[int] = field(default_factory=set)
    prior: list[Meeting] = field(default_factory=list)
    coordinated: list[Meeting] = field(default_factory=list)
    failed: list[Meeting] = field(default_factory=list)
    violations: int = 0
    broken_off: bool = False
    unanswered: int | None = None
    texts: dict[Calendar, str] = field(default_factory=dict)
    steps: int = 0
    deliveries: int = 0
    rendered: int = 0

    def spend(self, steps: int = 0, deliveries: int = 0, rendered: int = 0) -> None:
        """Count what the replay takes. Raises Unreadable where that is too much."""
        self.steps += steps
        self.deliveries += deliveries
        self.rendered += rendered
        spent = (
            (self.steps, MOST_STEPS, "slots to look at"),
            (self.deliveries, MOST_DELIVERIES, "messages in inboxes"),
            (self.rendered, MOST_RENDERED, "characters of calendars"),
            (len(self.expected), 2 * len(self.index.events) + MOST_MISSING, "events that it should have"),
        )
        for number, most, what in spent:
            if number > most:
                raise Unreadable(f"too large to replay: more than {most} {what}", ".events")

    def expect(self, kind: str, ref: EventRef, shown: AgentView | None = None, **fields: Any) -> None:
        """Add an event that the trace should have here."""
        self.spend(steps=len(shown.calendar) if shown else 0)
        self.expected.append(ExpectedEvent(kind, *ref, fields, shown))

    def holds_once(self, meeting: Meeting) -> bool:
        """Whether all participants hold the meeting in one and the same slot."""
        self.spend(steps=len(meeting.participants) * len(self.calendars[0]))
        slots = {slot_of(self.calendars[a], meeting.id) for a in meeting.participants}
        return len(slots) == 1 and slots != {None}

    def view_of(self, agent: int, kind: str, meeting: Meeting, **details: Any) -> AgentView:
        """What the agent is shown now."""
        calendar = self.calendars[agent]
        inbox = details.pop("inbox", [])
        rendering = self.rendering_for(calendar)
        return AgentView(
            kind, render(calendar), rendering, calendar, inbox, self.paid_before[agent], meeting, **details
        )

    def rendering_for(self, calendar: Calendar) -> str:
        """The calendar as its agent is shown it: with labels, where the game has them."""
        if not self.setup.hydrated:
            return render(calendar)
        rendering = self.texts.get(calendar)
        if rendering is None:
            rendering = self.texts[calendar] = render_with_labels(calendar, self.setup.labels)
        return rendering


def start(trace: Trace, setup: Setup, findings: Findings) -> Game:
    """The game before its first event."""
    agents = len(setup.calendars)
    return Game(
        setup,
        EventIndex(trace.events),
        findings,
        trace.public,
        open_ended=not any(e.type == "game_end" for e in trace.events),
        calendars=list(setup.calendars),
        inboxes=[[] for _ in range(agents)],
        paid=[0] * agents,
        paid_before=[0] * agents,
        sent=[0] * agents,
        received=[0] * agents,
        prior=list(prior_meetings(setup.calendars)),
    )


def prior_meetings(calendars: Iterable[Calendar]) -> Iterator[Meeting]:
    """The meetings that stand on the calendars when the game begins, by number."""
    meetings: dict[int, Meeting] = {}
    for calendar in calendars:
        for item in calendar:
            if item and item.kind == MEETING:
                members = item.participants or ()
                meetings.setdefault(item.id, Meeting(item.id, members, item.cost, members))
    return (meetings[number] for number in sorted(meetings))


def replay_cheap_talk(game: Game, number: int, meeting: Meeting) -> tuple[int, list[int]]:
    """Sweeps until a silent one or the budget's end. Returns their number, and who joined, ascending."""
    active = list(meeting.order)
    for turn in range(game.setup.max_turns):
        messages_before, turns_taken = len(game.messages), 0
        while turns_taken < len(active):
            for agent in active[turns_taken:]:
                take_turn(game, number, turn, agent, meeting)
                turns_taken += 1
            active += sorted(game.addressed.difference(active))
        if len(game.messages) == messages_before:
            return turn + 1, sorted(set(active) - set(meeting.participants))
    return game.setup.max_turns, sorted(set(active) - set(meeting.participants))


def take_turn(game: Game, number: int, turn: int, agent: int, meeting: Meeting) -> None:
    """One turn: the inbox is drained, and the recorded calls take effect."""
    record = game.index.turns.get((number, turn, agent))
    if record is None or (record.start is None and record.end is None):
        if game.open_ended:
            raise BrokenOff(agent)
        record = record or TurnEvents()
    inbox, game.inboxes[agent] = game.inboxes[agent], []
    shown = game.view_of(agent, view_kind(game, agent, meeting), meeting, inbox=inbox)
    game.informed.add(agent)
    ref = (number, turn, CHEAP_TALK, agent)
    game.expect("turn_start", ref, shown, inbox_drained=inbox)
    game.expect("turn_end", ref)
    calls = list(recorded_calls(game, record))
    verdicts = record.outcomes if len(record.outcomes) == len(calls) else [None] * len(calls)
    for call, outcome in zip(calls, verdicts, strict=True):
        handle_call(game, ref, meeting, call, outcome)


def view_kind(game: Game, agent: int, meeting: Meeting) -> str:
    """What the agent is told in this turn: an opening tells of the round and its calendar, a turn of its messages only.

    Ours opens the round with messages for those who join as well; the public harness gives them a turn (Table 6).
    """
    if agent in game.informed or (game.public and agent not in meeting.participants):
        return "turn"
    return "announcement" if game.public else "opening"


def recorded_calls(game: Game, record: TurnEvents) -> Iterator[Any]:
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


def handle_call(game: Game, ref: AgentEventRef, meeting: Meeting, call: Any, outcome_event: int | None) -> None:
    """Deliver a call or refuse it by the rules; where the record did otherwise, report it and follow the record."""
    problem = refusal_reason(game, ref[3], call)
    recorded = game.index.events[outcome_event].type if outcome_event is not None else None
    if recorded in SENT and problem and problem[1]:
        code = "dm_cap" if problem[0] == "cap" else "delivered_invalid"
        # The public harness did not keep its cap, and its names of protocols leave open which channels they open.
        if not (game.public and problem[0] in ("cap", "closed channel")):
            game.findings.add(code, "a refusal", call, problem[0], event=outcome_event, round=ref[0], agent=ref[3])
        problem = None
    elif recorded == "invalid_tool_call" and not problem:
        game.findings.add("refused_valid", "a delivery", call, event=outcome_event, round=ref[0], agent=ref[3])
        problem = ("refused", False)
    if problem:
        game.expect("invalid_tool_call", ref, tool_call=call)
    else:
        deliver(game, ref, meeting, call)


def refusal_reason(game: Game, sender: int, call: Any) -> tuple[str, bool] | None:
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
    cap = game.setup.dm_cap
    return ("cap", True) if cap is not None and len(game.messages) >= cap else None


def deliver(game: Game, ref: AgentEventRef, meeting: Meeting, call: dict[str, Any]) -> None:
    """Put the message into the inboxes of those who receive it, ascending."""
    sender, channel, content = ref[3], call["type"], call["content"]
    members = sorted(meeting.participants) if channel == "participant_groupchat" else range(len(game.calendars))
    readers = [call["to"]] if channel == "dm" else [a for a in members if a != sender]
    game.spend(deliveries=len(readers))
    game.messages.append((channel, len(content)))
    game.sent[sender] += 1
    for agent in readers:
        game.received[agent] += 1
        entry = {"from": sender, "to": agent, "channel": channel, "meeting_id": meeting.id, "content": content}
        game.inboxes[agent].append(entry)
    game.addressed.update(readers)
    whom = {"to_agent": readers[0]} if channel == "dm" else {"to_agents": readers}
    facts = {"from_agent": sender, "meeting_id": meeting.id, "content": content, "channel": channel, **whom}
    game.expect(f"{channel}_sent", ref, content_chars=len(content), **facts)
