"""Agents that answer anything at all, for whole games.

A hostile agent follows a real protocol, so that games get somewhere, and spoils some of its answers: with values of any
kind, with calls that are valid but for one fault, with floods, and with lists that it changes after it has answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from hypothesis import strategies as st
from msgspec import Struct

from sim.agents import CHEAP_TALK, DECISION, Agent, Registration, Reply, Request
from sim.calendar import item_id
from sim.game.game import CHANNELS, Limits
from sim.game.trace import Trace
from sim.runs.play import Patient, Play, play_game, play_game_later
from sim.runs.teams import AgentSpec, Team, build_agent
from tests.sim.worlds import tiny_task

PROTOCOLS = ("imap", "sd", "dsm", "style")


class Sub(str):
    """Text that is not quite text."""


class Unshowable:
    """Nothing can be asked of it."""

    def __repr__(self) -> str:
        raise RuntimeError("no")

    __eq__ = __hash__ = __bool__ = __repr__  # type: ignore[assignment]


class Whole(int):
    """A number that lies about itself."""

    def __int__(self) -> int:
        return 7

    def __le__(self, other: object) -> bool:
        return True

    __ge__ = __lt__ = __gt__ = __le__


class Trap(dict):  # type: ignore[type-arg]
    """An object that can't be walked through."""

    def items(self) -> Any:
        raise RuntimeError("no")

    get = __getitem__ = __iter__ = items


def deep(depth: int) -> Any:
    value: Any = "deepest"
    for _ in range(depth):
        value = [value]
    return value


ODDITIES: dict[str, Callable[[], Any]] = {
    "true": lambda: True,
    "2**63": lambda: 2**63,
    "-2**70": lambda: -(2**70),
    "10**5000": lambda: 10**5000,
    "one float": lambda: 1.0,
    "nan": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "half a pair": lambda: "\ud800",
    "escapes": lambda: "\x00\x1b[31m\u2028’é",
    "bytes": lambda: b"bytes",
    "set": lambda: {1},
    "complex": lambda: 3j,
    "class": lambda: object,
    "object": object,
    "ellipsis": lambda: Ellipsis,
    "unshowable": Unshowable,
    "almost text": lambda: Sub("dm"),
    "almost a number": lambda: Whole(2),
    "trap": lambda: Trap(type="dm"),
    "almost a type": lambda: {"type": Sub("schedule"), "to": Whole(1)},
    "two keys alike": lambda: {1: 2, "1": 3, None: ()},
    "generator": lambda: (i for i in range(3)),
    "59 deep": lambda: deep(59),
    "70 deep": lambda: deep(70),
    "5000 deep": lambda: deep(5000),
    "formula": lambda: "=1+1",
    "script": lambda: "<script>",
    "quote": lambda: "' OR 1=1 --",
}


class Odd(Struct, frozen=True):
    """Stands for an oddity, which need not be shown or compared."""

    name: str


def real(value: Any) -> Any:
    """The value with every oddity in its place, made anew."""
    if isinstance(value, Odd):
        return ODDITIES[value.name]()
    if isinstance(value, dict):
        return {key: real(item) for key, item in value.items()}
    return type(value)(map(real, value)) if isinstance(value, list | tuple) else value


LEAVES = st.one_of(
    st.sampled_from(sorted(ODDITIES)).map(Odd),
    st.none() | st.integers(-2, 9),
    st.text(max_size=6) | st.binary(max_size=3),
    st.floats(),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(st.sampled_from(("type", "to", "slot", "x", 3)), inner, max_size=3),
    ),
    max_leaves=5,
)
FIELDS = ("type", "to", "content", "slot", "meeting_id", "item_id", "from_slot", "to_slot", "cost", "agent_id", "x")


class Habits(Struct, frozen=True):
    """How an agent plays: its protocol, how often it spoils an answer, what it puts into it, and the most calls that
    it repeats one to."""

    protocol: str
    spoils: float
    pool: tuple[Any, ...]
    flood: int = 3


def habits(flood: int = 3) -> st.SearchStrategy[Habits]:
    pools = st.lists(VALUES, min_size=1, max_size=4).map(tuple)
    return st.builds(Habits, st.sampled_from(PROTOCOLS), st.sampled_from((0.0, 0.1, 0.4, 1.0)), pools, st.just(flood))


class Hostile:
    """An agent of these habits; all its choices come from `rng`."""

    def __init__(self, habits: Habits, rng: Random) -> None:
        self.habits, self.rng = habits, rng
        self.inner: Agent = build_agent(AgentSpec(habits.protocol))
        self.given: list[Any] = []
        self.agents = 0

    def register(self, registration: Registration) -> Any:
        self.agents = registration.num_agents
        return self.inner.register(registration)

    def act(self, request: Request) -> Any:
        if self.given and self.rng.random() < 0.1:
            self.given.clear()  # what was answered before stays answered
        made = self.actions(request)
        if self.rng.random() < self.habits.spoils:
            made = self.spoiled(made, request)
        self.given = made if isinstance(made, list) else []
        odd = self.rng.random() < self.habits.spoils / 20
        return self.any() if odd else Reply(made, text=self.any() if odd else None)

    def summary(self) -> Any:
        return self.any() if self.rng.random() < self.habits.spoils else {}

    def actions(self, request: Request) -> list[Any]:
        """What the protocol does, or any legal move: negotiated games move little."""
        made = list(self.inner.act(request).actions)
        if request.phase != CHEAP_TALK and self.rng.random() < 0.3:
            made += self.some_move(request)
        if request.phase == DECISION and not made:
            made = [
                {"type": "schedule", "meeting_id": request.meeting.id, "slot": s} for s in request.calendar.free[:1]
            ]
        return made

    def some_move(self, request: Request) -> list[Any]:
        held = [s for s, item in enumerate(request.calendar) if item is not None]
        if not held or not request.calendar.free:
            return []
        source, target = self.rng.choice(held), self.rng.choice(request.calendar.free)
        number = item_id(request.calendar[source])  # type: ignore[arg-type]
        return [{"type": "reschedule", "item_id": number, "from_slot": source, "to_slot": target}]

    def any(self) -> Any:
        """One of the pool's values."""
        return real(self.rng.choice(self.habits.pool))

    def spoiled(self, made: list[Any], request: Request) -> Any:
        """The answer with one fault."""
        fault = self.rng.choice((self.field, self.field, self.extra, self.twice, self.foreign, self.whole, self.among))
        return fault(made, request)

    def whole(self, made: list[Any], request: Request) -> Any:
        return self.any()

    def among(self, made: list[Any], request: Request) -> Any:
        return [*made, self.any()]

    def field(self, made: list[Any], request: Request) -> Any:
        for call in self.rng.sample(made, min(1, len(made))):
            call[self.rng.choice(FIELDS)] = self.any()
        return made

    def extra(self, made: list[Any], request: Request) -> Any:
        """A cost of its own, and a field that belongs to another kind of call."""
        for call in made:
            call["cost"] = self.rng.choice((0, -5, "free", None, [1]))
            call[self.rng.choice(FIELDS[3:])] = self.rng.choice((0, self.any())) if self.rng.random() < 0.2 else 0
        return made

    def twice(self, made: list[Any], request: Request) -> Any:
        """A call again and again, the very same object or a copy."""
        if not made:
            return made
        call = self.rng.choice(made)
        return made + [
            call if self.rng.random() < 0.5 else dict(call) for _ in range(self.rng.randint(1, self.habits.flood))
        ]

    def foreign(self, made: list[Any], request: Request) -> Any:
        """A call that names somebody or something that is not there to be named."""
        slots, here = len(request.calendar), self.rng.randrange(len(request.calendar))
        other = request.meeting.id + self.rng.choice((-1, 1, 100))
        choices = (
            {"type": "dm", "to": self.rng.choice((-1, self.agents, *range(self.agents))), "content": "Slot 0?"},
            {
                "type": self.rng.choice(CHANNELS),
                "to": None,
                "content": self.rng.choice(("", "x" * 10_000, "Slot 1 is free.")),
            },
            {"type": "schedule", "meeting_id": other, "slot": here},
            {"type": "schedule", "meeting_id": request.meeting.id, "slot": self.rng.choice((-1, slots, here))},
            {"type": "reschedule", "item_id": other, "from_slot": here, "to_slot": here},
            {"type": "reschedule", "item_id": self.rng.randrange(2 * slots), "from_slot": here, "to_slot": -here},
        )
        return [*made, self.rng.choice(choices)]


SHAPES: tuple[dict[str, Any], ...] = (
    {"num_agents": 2, "num_participants": 2, "num_slots": 3, "num_meetings": 3, "density": 1.0},
    {"num_agents": 3, "num_participants": 2, "num_slots": 6, "num_meetings": 3, "errand_cost_values": (1, 100, 1000)},
    {"num_agents": 4, "num_participants": 3, "num_slots": 8, "num_meetings": 4, "density": 0.9},
    {"num_agents": 5, "num_participants": 5, "num_slots": 5, "num_meetings": 2, "density": 0.3},
)
TASKS = tuple(tiny_task(seed, "varied", **shape) for seed, shape in enumerate(SHAPES, start=5))
LIMITS = (
    Limits(channels=CHANNELS),
    Limits(max_turns_per_round=3, decision_retries=1, channels=CHANNELS),
    Limits(max_turns_per_round=2, decision_retries=0, dm_cap=9),
)


class HostileGame(Struct, frozen=True):
    """A game to play: a task, its limits, each agent's habits, and the number that its choices come from."""

    task: int
    limits: int
    habits: tuple[Habits, ...]
    seed: int

    @property
    def play(self) -> Play:
        specs = tuple(AgentSpec(h.protocol) for h in self.seated)
        return Play(TASKS[self.task], Team("hostile", specs), LIMITS[self.limits])

    @property
    def seated(self) -> Sequence[Habits]:
        """One agent's habits after the other's, in turn."""
        return [self.habits[a % len(self.habits)] for a in range(TASKS[self.task].num_agents)]

    def agents(self) -> list[Hostile]:
        return [Hostile(h, Random(f"{self.seed}:{a}")) for a, h in enumerate(self.seated)]


def games(flood: int = 3) -> st.SearchStrategy[HostileGame]:
    several = st.lists(habits(flood), min_size=1, max_size=3).map(tuple)
    numbers = st.integers(0, len(TASKS) - 1), st.integers(0, len(LIMITS) - 1)
    return st.builds(HostileGame, *numbers, several, st.integers(0, 2**32))


def played(game: HostileGame) -> Trace:
    return play_game(game.play, game.agents())


def played_later(game: HostileGame) -> Trace:
    """The same game by the driver for agents that wait."""
    return asyncio.run(play_game_later(game.play, [Patient(agent) for agent in game.agents()]))
