"""Three tiny worlds that the tests share, a notation for calendars, and agents that follow a script.

A calendar is written slot by slot: `.` is free, `5` an errand of cost 5, `x5` a blocked one, `M1(0,2)` the meeting 1 of
agents 0 and 2 (`M1(0,2)=3` where it costs 3). Errands are numbered by agent and slot, as in `errand_id`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from sim.agents import CHEAP_TALK, Agent, Message, Registration, Reply, Request
from sim.calendar import Calendar, Errand, Item, ScheduledMeeting
from sim.game.game import Game, Limits
from sim.game.rounds import rounds
from sim.tasks.scenario import Meeting, Parameters
from sim.tasks.suite import Entry, make_task
from sim.tasks.task import Task

# One meeting of all three. Only slot 1 is free for everybody; slot 0 costs least for agent 0 alone.
TRIO = (["0 . 4 .", "7 . . 2", ". . 3 x1"], [(0, 1, 2)])
# Agent 0 meets agent 1, then agent 2, then all meet: later meetings can break earlier ones.
CHAIN = ([". . . .", ". . . .", ". . . ."], [(0, 1), (0, 2), (0, 1, 2)])
# A meeting of two, then a larger one that only fits where the first one stands: agents 2 and 3 have no other slot.
BUMP = ([". . 1", ". . 1", ". x1 x1", ". x1 x1"], [(0, 1), (0, 2, 3)])

MEETING = re.compile(r"M(\d+)\(([\d,]*)\)(?:=(\d+))?")


def errand_id(agent: int, slot: int) -> int:
    """The number of the errand that agent holds in the slot of its written calendar."""
    return agent * 100 + slot


def calendar(text: str, agent: int = 0) -> Calendar:
    """The calendar that the text writes."""
    return Calendar([item(token, agent, slot) for slot, token in enumerate(text.split())])


def item(token: str, agent: int, slot: int) -> Item | None:
    """The item that a token of a written calendar stands for."""
    if token == ".":
        return None
    if found := MEETING.fullmatch(token):
        members = tuple(int(a) for a in found[2].split(","))
        return ScheduledMeeting(int(found[1]), int(found[3] or 1), members)
    return Errand(errand_id(agent, slot), int(token.lstrip("x")), token.startswith("x"))


def written(calendar: Calendar) -> str:
    """The text that writes the calendar; it leaves out the numbers of errands."""
    return " ".join(map(token, calendar.slots))


def token(item: Item | None) -> str:
    """How a written calendar shows a slot's item."""
    if item is None:
        return "."
    if isinstance(item, Errand):
        return f"{'x' * item.blocked}{item.cost}"
    members = ",".join(map(str, item.participants))
    return f"M{item.meeting_id}({members})" + (f"={item.cost}" if item.cost != 1 else "")


def calendars(texts: Sequence[str]) -> tuple[Calendar, ...]:
    """One calendar for each agent."""
    return tuple(calendar(text, agent) for agent, text in enumerate(texts))


def meetings(lists: Sequence[tuple[int, ...]]) -> tuple[Meeting, ...]:
    """The stream of meetings of these participants, who speak in the order given."""
    return tuple(Meeting(i, tuple(sorted(m)), 1, 1, tuple(m)) for i, m in enumerate(lists, start=1))


def new_game(world: tuple[list[str], list[tuple[int, ...]]], **limits: Any) -> Game:
    """A game of the world that nobody has played yet."""
    return Game(calendars(world[0]), meetings(world[1]), Limits(**limits))


def play(game: Game, agents: Sequence[Agent]) -> Game:
    """The game after its agents have played it."""
    for number, agent in enumerate(agents):
        agent.register(registration(game.initial[number], number, len(agents), game.limits))
    turns = rounds(game)
    try:
        asked, request = next(turns)
        while True:
            asked, request = turns.send(agents[asked].act(request))
    except StopIteration:
        return game


def registration(calendar: Calendar, agent: int = 0, num_agents: int = 3, limits: Limits = Limits()) -> Registration:
    """What an agent with this calendar is told before a game."""
    return Registration(agent, num_agents, len(calendar), limits.decision_retries, limits.channels, calendar)


class Scripted:
    """An agent that follows a script: (phase, round, turn or attempt) → actions; otherwise it does nothing."""

    def __init__(self, script: Mapping[tuple[str, int, int], Any] | None = None) -> None:
        self.script = script or {}
        self.requests: list[Request] = []

    def register(self, registration: Registration) -> str:
        return ""

    def act(self, request: Request) -> Reply:
        self.requests.append(request)
        step = request.turn if request.phase == CHEAP_TALK else request.attempt
        return Reply(self.script.get((request.phase, request.round, step), []))

    def summary(self) -> Mapping[str, Any]:
        return {}

    def asked(self, phase: str) -> list[Request]:
        """The requests of this phase that the agent was sent."""
        return [r for r in self.requests if r.phase == phase]


def say(to: int, content: str = "hello") -> dict[str, Any]:
    """The tool call that sends a direct message."""
    return {"type": "dm", "to": to, "content": content}


def schedule(meeting: int, slot: int) -> dict[str, Any]:
    """The tool call that writes the meeting into the slot."""
    return {"type": "schedule", "meeting_id": meeting, "slot": slot}


def reschedule(item: int, from_slot: int, to_slot: int) -> dict[str, Any]:
    """The tool call that moves an item."""
    return {"type": "reschedule", "item_id": item, "from_slot": from_slot, "to_slot": to_slot}


def events(game: Game, kind: str) -> list[dict[str, Any]]:
    """What the game recorded of this kind, in order."""
    return [e.data for e in game.events if e.type == kind]


def payloads(game: Game) -> list[tuple[int, int, dict[str, Any]]]:
    """(sender, recipient, payload) of every typed direct message of the game, in order."""
    return [(e["from_agent"], e["to_agent"], json.loads(e["content"])) for e in events(game, "dm_sent")]


def said(reply: Reply) -> list[tuple[int, dict[str, Any]]]:
    """(recipient, payload) of every typed direct message of a reply."""
    return [(a["to"], json.loads(a["content"])) for a in reply.actions]


def slots_of(game: Game, meeting: int) -> list[int | None]:
    """Where each agent holds the meeting at the end."""
    return [c.slot_of_meeting(meeting) for c in game.calendars]


def request(
    board: Calendar,
    phase: str = CHEAP_TALK,
    inbox: Sequence[tuple[int, Any]] = (),
    members: tuple[int, ...] = (0, 1, 2),
    meeting_id: int = 2,
    **more: Any,
) -> Request:
    """A request about a meeting of these members; the inbox holds (sender, payload or text)."""
    messages = tuple(Message(s, 0, "dm", meeting_id, c if isinstance(c, str) else json.dumps(c)) for s, c in inbox)
    facts = {"round": meeting_id - 1, "turn": 0, "max_turns": 15, "penalty": 0} | more
    meeting = Meeting(meeting_id, members, 1, 1, members)
    return Request(phase=phase, meeting=meeting, calendar=board, inbox=messages, **facts)


def entry(seed: int = 7, setting: str = "uniform", **parameters: Any) -> Entry:
    """A list's entry for a task of three agents that takes a millisecond to make."""
    small = {"num_agents": 3, "num_participants": 2, "density": 0.6, "num_slots": 6, "num_meetings": 3}
    return Entry(
        task_id=f"tiny{seed}",
        setting=setting,
        difficulty="easy",
        parameters=Parameters(seed=seed, **(small | parameters)),
    )


def tiny_task(seed: int = 7, setting: str = "uniform", **parameters: Any) -> Task:
    """The task of such an entry."""
    return make_task(entry(seed, setting, **parameters))


def calendars_of(*counts: int) -> list[Calendar]:
    """Calendars with that many errands each, ids as `sim.tasks.scenario` numbers them."""
    return [Calendar([Errand(agent * 16 + i, 1) for i in range(1, n + 1)]) for agent, n in enumerate(counts)]


def meetings_of(number: int) -> list[Meeting]:
    return [Meeting(i, (0, 1)) for i in range(1, number + 1)]
