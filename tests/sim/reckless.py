"""Games of agents that say and do anything, sensible or not."""

from random import Random
from typing import Any

from msgspec.structs import replace

from sim.agents import Registration, Reply, Request
from sim.calendar import Calendar, Errand
from sim.game.game import Game, Limits
from sim.game.trace import Trace
from sim.runs.play import Play, play_game
from sim.runs.teams import AgentSpec, Team
from tests.sim.worlds import play as play_world
from tests.sim.worlds import tiny_task

SHAPES: tuple[dict[str, Any], ...] = (
    {"num_agents": 2, "num_participants": 2, "num_slots": 3, "num_meetings": 3, "density": 1.0},
    {"num_agents": 3, "num_participants": 2, "num_slots": 6, "num_meetings": 3},
    {"num_agents": 4, "num_participants": 3, "num_slots": 12, "num_meetings": 6, "density": 0.9},
    {"num_agents": 5, "num_participants": 5, "num_slots": 5, "num_meetings": 4, "density": 0.3},
    {"num_agents": 3, "num_participants": 2, "num_slots": 12, "num_meetings": 3, "prior_meetings": 1},
    {"num_agents": 3, "num_participants": 2, "num_slots": 6, "num_meetings": 3, "density": 0.3, "prior_meetings": 2},
)


ODD: tuple[Any, ...] = (None, True, -1, 2**62, 3.0, "3", "", [], {}, "x\n y\u2028z", 99)


class Reckless:
    """An agent that says and does anything, sensible or not."""

    def __init__(self, rng: Random) -> None:
        self.rng, self.agents, self.replies = rng, 0, dict[tuple[str, int, int], Any]()

    def register(self, registration: Registration) -> str:
        self.agents = registration.num_agents
        return ""

    def summary(self) -> dict[str, Any]:
        return {}

    def act(self, request: Request) -> Reply:
        made = self.talk() if request.phase == "CHEAP_TALK" else self.batch(request)
        return Reply(self.odd(made))

    def odd(self, value: Any) -> Any:
        return self.rng.choice(ODD) if self.rng.random() < 0.05 else value

    def talk(self) -> list[Any]:
        kinds = ("dm", "dm", "participant_groupchat", "all_groupchat", "schedule")
        made = ((self.rng.choice(kinds), self.rng.randrange(self.agents)) for _ in range(self.rng.randrange(3)))
        return [{"type": kind, "to": self.odd(to), "content": self.odd("hello")} for kind, to in made]

    def batch(self, request: Request) -> list[Any]:
        slots = range(len(request.calendar))
        target, made = self.rng.choice(slots), []
        for slot in {target, *self.rng.sample(slots, self.rng.randrange(3))}:
            item = request.calendar[slot]
            if item and self.rng.random() < 0.8:
                number = getattr(item, "errand_id", None) or getattr(item, "meeting_id", 0)
                to = self.odd(self.rng.choice(slots))
                made.append({"type": "reschedule", "item_id": number, "from_slot": self.odd(slot), "to_slot": to})
        if request.phase == "DECISION" or self.rng.random() < 0.1:
            made.append({"type": "schedule", "meeting_id": self.odd(request.meeting.id), "slot": self.odd(target)})
        return made


def reckless_game(seed: int, kind: type[Reckless] = Reckless) -> tuple[Game, list[Any]]:
    """A game of such agents, played, and the agents. kind: their class."""
    play = reckless_play(seed, blocking=seed % 2 == 1)
    agents = [kind(Random(f"{seed}:{agent}")) for agent in range(play.task.num_agents)]
    task = play.task
    return play_world(Game(task.calendars, task.meetings, play.limits), agents), agents


def reckless_trace(seed: int) -> Trace:
    """The trace of a game of such agents."""
    play = reckless_play(seed, blocking=False)
    return play_game(play, [Reckless(Random(f"{seed}:{agent}")) for agent in range(play.task.num_agents)])


def reckless_play(seed: int, blocking: bool) -> Play:
    """A small task, some of whose errands are blocked where that is wanted, and limits of any kind."""
    rng = Random(seed)
    task = tiny_task(seed % 40, "varied", **SHAPES[seed % len(SHAPES)])
    if blocking:
        task = replace(task, calendars=tuple(partly_blocked(calendar, rng) for calendar in task.calendars))
    limits = Limits(
        max_turns_per_round=rng.choice((1, 3, 15)),
        decision_retries=rng.choice((0, 1, 3)),
        dm_cap=rng.choice((None, 0, 9)),
        channels=rng.choice((("dm",), ("dm", "participant_groupchat", "all_groupchat"))),
    )
    return Play(task, Team("reckless", (AgentSpec("imap"),)), limits)


def partly_blocked(calendar: Calendar, rng: Random) -> Calendar:
    """The calendar with some of its errands blocked."""
    items = calendar.slots
    return Calendar([replace(i, blocked=rng.random() < 0.3) if isinstance(i, Errand) else i for i in items])
