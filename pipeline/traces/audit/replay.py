"""The game played again by the engine, with the replies that the trace records."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pipeline.traces.audit.compare import Difference, difference, listed, place_of, without_costs
from pipeline.traces.audit.divergences import Findings
from pipeline.traces.audit.prompts import Prompts
from pipeline.traces.audit.trace import SENT, Event, Setup, Trace, Unreadable, parse_calendar, whole
from sim.agents import CHEAP_TALK, Message, Reply, Request
from sim.calendar import Calendar
from sim.game.game import Game, Turns
from sim.game.rounds import play_round
from sim.game.trace import Event as Played
from sim.game.trace_schema import EVENTS
from sim.tasks.labels import own_labels, render_with_labels
from sim.tasks.scenario import Meeting

# Messages in inboxes, far beyond any game that is played.
MOST_DELIVERIES = 1_000_000
ENDINGS = ("game_end", "game_stopped")
COPIED = ("calendars", "paid", "sent", "received", "coordinated", "failed", "violations")


class Diverged(Exception):
    """The round's events are not the replay's: what differs, and the recorded event's number where there is one."""

    def __init__(self, found: Difference, number: int | None, place: Sequence[Any]) -> None:
        super().__init__(found.code)
        self.difference, self.number, self.place = found, number, place


class NoReply(Exception):
    """The trace has no reply where the agent was asked."""

    def __init__(self, agent: int, request: Request) -> None:
        super().__init__(agent)
        self.agent, self.request = agent, request


class Replay:
    """The replay of one trace. `game` is in the state that the events lead to; after a divergence, in the recorded one.

    broken_off: whether the record ends before the game does. unanswered: who was to answer there, if anybody.
    """

    def __init__(self, trace: Trace, setup: Setup, findings: Findings) -> None:
        self.trace, self.setup, self.findings = trace, setup, findings
        self.game = Game(setup.calendars, setup.meetings, setup.limits, setup.labels)
        self.prompts = Prompts(trace, setup, findings)
        self.open_ended = not trace.all_of("game_end")
        self.broken_off = False
        self.unanswered: int | None = None
        self.deliveries, self.seen = 0, 0
        self.waiting: list[int] = []
        self.replies: dict[Any, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
        for event in trace.events:
            self.replies[self.key(place_of(event.data))][event.type].append(event.data)

    @staticmethod
    def key(place: Sequence[Any]) -> str:
        """The name of a turn, or of an agent's decision in a phase."""
        number, turn, phase, agent = place
        return repr((number, turn if phase == CHEAP_TALK else "", phase, agent))

    def run(self) -> None:
        """Play the game from its first event to its last, as far as they are recorded."""
        opening, rounds, ending = segments_of(self.trace.events)
        self.follow(opening, self.opening())
        begun, wanted = [number for number, _ in rounds], list(range(len(self.setup.meetings)))
        cut = self.open_ended and begun == wanted[: len(begun)]
        if begun != wanted and not cut:
            code = "missing_event" if set(wanted) - {*map(whole, begun)} else "unexpected_event"
            self.findings.add(code, wanted, begun, "numbers of the rounds")
        for number, segment in rounds:
            if not self.broken_off and whole(number) in wanted:
                self.play(number, segment, last=segment is rounds[-1][1])
        self.broken_off |= cut and len(begun) < len(wanted)
        self.follow(ending, self.ending())

    def opening(self) -> Iterator[Played]:
        """The events before the first round."""
        place = {"round": -1, "turn": -1, "phase": "GAME_START", "agent_id": None}
        calendars, labels = self.setup.calendars, self.setup.labels
        yield Played("game_start", place | {"num_agents": len(calendars), "num_slots": len(calendars[0])})
        for agent, calendar in enumerate(calendars):
            shown = render_with_labels(calendar, own_labels(calendar, labels) if labels else {})
            yield Played("agent_registered", place | {"agent_id": agent, "calendar_render": shown})

    def ending(self) -> Iterator[Played]:
        """The events after the last round: the end, or, in a trace of ours, that the game was stopped."""
        done = len(self.game.coordinated) + len(self.game.failed)
        place = {"round": done, "turn": 0, "phase": "GAME_END", "agent_id": None}
        if not self.open_ended:
            yield Played("game_end", place | {"round": len(self.setup.meetings)})
        elif self.trace.stopped and not self.trace.public:
            yield Played("game_stopped", place | {"cause": self.trace.stop_cause})

    def follow(self, segment: list[int], expected: Iterator[Played]) -> None:
        """Hold the recorded events against those expected."""
        self.waiting = segment[::-1]
        try:
            for event in expected:
                self.compare(event)
            self.expect_no_more()
        except Diverged as problem:
            self.report(problem)

    def play(self, number: int, segment: list[int], last: bool) -> None:
        """Play one round up to its first divergence; beyond it, take what the trace records."""
        meeting, before, kept = self.setup.meetings[number], self.snapshot(), len(self.game.events)
        self.waiting, self.prompts.informed = segment[::-1], set()
        try:
            turns = play_round(self.game, number, meeting)
            asked = next(turns, None)
            while asked:
                self.compare_new()
                asked = following(turns, self.answer(*asked))
            self.compare_new()
            self.expect_no_more()
        except NoReply as end:
            self.broken_off = last and self.open_ended and not self.waiting
            self.unanswered = end.agent if self.broken_off else None
            if not self.broken_off:
                self.report(self.without_reply(end))
                self.resume(before, kept, meeting, segment)
        except Diverged as problem:
            self.report(problem)
            self.resume(before, kept, meeting, segment)

    def expect_no_more(self) -> None:
        """Raise Diverged where more events are recorded."""
        if self.waiting:
            event = self.event(self.waiting[-1])
            self.diverge(Difference("unexpected_event", "", [event.type, *place_of(event.data)], "no more events"))

    def without_reply(self, end: NoReply) -> Diverged:
        """The divergence that a missing reply is."""
        request, last = end.request, self.waiting[-1] if self.waiting else None
        place = (request.round, request.turn, request.phase, end.agent)
        found = "" if last is None else [self.event(last).type, *place_of(self.event(last).data)]
        return Diverged(Difference("missing_event", ["reply", *place], found, "the agent's reply"), last, place)

    def report(self, problem: Diverged) -> None:
        """Add the divergence that ends the round's comparison."""
        d = problem.difference
        where: dict[str, Any] = {"event": problem.number, "round": problem.place[0], "agent": problem.place[3]}
        self.findings.add(d.code, d.expected, d.found, d.detail, **where)

    def event(self, number: int) -> Event:
        """The recorded event."""
        return self.trace.events[number]

    def compare_new(self) -> None:
        """Compare what the engine has recorded since. Raises Diverged."""
        events = self.game.events[self.seen :]
        del self.game.events[self.seen :]
        for event in events:
            if not (self.trace.public and self.unrecorded(event)):
                self.compare(event)
            if event.type in SENT:  # metrics count these
                self.game.events.append(event)
        self.seen = len(self.game.events)

    def unrecorded(self, event: Played) -> bool:
        """Whether public traces do not have the event: of a retry they keep the rejection, and of those not all."""
        attempt = event.data.get("attempt", 0)
        if event.type in ("decide_start", "decide_end"):
            return bool(attempt)
        told = self.replies[self.key(place_of(event.data))]
        failed = event.type == "batch_rejected" and "decision_failed" in told
        return failed and attempt >= len(told["batch_rejected"]) > 0

    def compare(self, expected: Played) -> None:
        """Compare an event with the next that is recorded. Raises Diverged."""
        if not self.waiting:
            place = place_of(expected.data)
            raise Diverged(Difference("missing_event", [expected.type, *place], "", "the round ends"), None, place)
        later = (self.event(number) for number in reversed(self.waiting))
        if found := difference(expected, later, self.trace.public, self.setup.labels is not None):
            self.diverge(found)
        self.waiting.pop()

    def diverge(self, found: Difference) -> None:
        """Raise Diverged at the next event."""
        raise Diverged(found, self.waiting[-1], place_of(self.event(self.waiting[-1]).data))

    def answer(self, agent: int, request: Request) -> Reply:
        """The reply that the trace records. Raises NoReply where it has none."""
        told = self.replies[self.key((request.round, request.turn, request.phase, agent))]
        if self.trace.public and request.attempt:
            return Reply(self.retried(agent, request, told))
        start, end = ("turn_start", "turn_end") if request.phase == CHEAP_TALK else ("decide_start", "decide_end")
        if request.attempt >= len(told[end]):
            raise NoReply(agent, request)
        shown = told[start][request.attempt] if request.attempt < len(told[start]) else {}
        self.prompts.check(agent, request, shown.get("prompt_sent"))
        calls = told[end][request.attempt].get("tool_calls")
        if calls is None and self.trace.public and "invalid_tool_call" not in told:
            rejected = told.get("batch_rejected")
            calls = rejected[0].get("actions") if rejected else []
        if request.phase == CHEAP_TALK:
            self.count_deliveries(calls)
        return Reply(calls)

    def retried(self, agent: int, request: Request, told: dict[str, list[dict[str, Any]]]) -> Any:
        """A retry's actions in a public trace, which keeps only what was rejected and what was applied."""
        rejected, final = told["batch_rejected"], told["batch_applied"] + told["batch_rolled_back"]
        if request.attempt < len(rejected):
            return rejected[request.attempt].get("actions")
        if final:
            return without_costs(final[0].get("actions"))
        if not rejected:
            raise NoReply(agent, request)
        return rejected[-1].get("actions")

    def count_deliveries(self, calls: Any) -> None:
        """Raise Unreadable where messages are too many to deliver."""
        agents = len(self.setup.calendars)
        for call in listed(calls):
            self.deliveries += 1 if isinstance(call, dict) and call.get("type") == "dm" else agents
        if self.deliveries > MOST_DELIVERIES:
            raise Unreadable(f"too large to replay: more than {MOST_DELIVERIES} messages in inboxes", ".events")

    def snapshot(self) -> dict[str, Any]:
        """The game's state."""
        copies: dict[str, Any] = {name: list(getattr(self.game, name)) for name in COPIED}
        return copies | {"inboxes": [list(i) for i in self.game.inboxes], "messages": self.game.messages}

    def resume(self, before: dict[str, Any], kept: int, meeting: Meeting, segment: Iterable[int]) -> None:
        """Take the round's outcome from the record, beginning at the state before it, with so many events kept."""
        for name, value in before.items():
            setattr(self.game, name, value)
        del self.game.events[kept:]
        for number in segment:
            self.take(meeting, self.event(number))
        self.seen = len(self.game.events)

    def take(self, meeting: Meeting, event: Event) -> None:
        """Let the game be as the recorded event says."""
        game, data = self.game, event.data
        agent = whole(data.get("agent_id"), most=len(game.calendars) - 1)
        if event.type == "turn_start" and agent is not None:
            game.inboxes[agent] = []
        elif event.type == "batch_applied" and agent is not None:
            game.paid[agent] += cost_of(game.calendars[agent], data.get("actions"))
            after = parse_calendar(str(data.get("calendar_render_after")))
            if after is not None and len(after) == len(game.calendars[agent]):
                game.calendars[agent] = after
        elif event.type == "resolution":
            (game.coordinated if data.get("coordinated") is True else game.failed).append(meeting)
            game.violations += listed(data.get("consistency_violated_meeting_ids"))
        elif event.type in SENT and agent is not None:
            self.take_message(meeting, agent, event)

    def take_message(self, meeting: Meeting, sender: int, event: Event) -> None:
        """Deliver a recorded message."""
        game, content = self.game, str(event.data.get("content"))
        readers = listed(event.data.get("to_agents", [event.data.get("to_agent")]))
        last = len(game.calendars) - 1
        for reader in (agent for a in readers if (agent := whole(a, most=last)) is not None):
            game.received[reader] += 1
            game.inboxes[reader].append(Message(sender, reader, SENT[event.type], meeting.id, content))
        game.messages += 1
        game.sent[sender] += 1
        game.events.append(Played(event.type, event.data | {"content_chars": len(content)}))


def following(turns: Turns, reply: Reply) -> tuple[int, Request] | None:
    """Who is asked next, and what; None when the round is over."""
    try:
        return turns.send(reply)
    except StopIteration:
        return None


def cost_of(calendar: Calendar, actions: Any) -> int:
    """What the items cost that the actions move."""
    moves = [a for a in listed(actions) if isinstance(a, dict) and a.get("type") == "reschedule"]
    sources = {whole(move.get("from_slot"), most=len(calendar) - 1) for move in moves} - {None}
    return sum(item.cost for slot in sources if slot is not None and (item := calendar[slot]))


def segments_of(events: Sequence[Event]) -> tuple[list[int], list[tuple[Any, list[int]]], list[int]]:
    """Places of the events of known kinds: before the first round, of each round by its number, and from the end on."""
    opening: list[int] = []
    ending: list[int] = []
    rounds: list[tuple[Any, list[int]]] = []
    segment = opening
    for place, event in enumerate(events):
        if event.type in ENDINGS:
            segment = ending
        elif event.type == "round_start" and segment is not ending:
            segment = []
            rounds.append((event.data.get("round"), segment))
        if event.type in EVENTS:
            segment.append(place)
    return opening, rounds, ending
