"""Games of agents that say and do anything, sensible or not: whatever they do, the auditor must agree with the game."""

from random import Random
from typing import Any

from sim.agents import Registration, Reply, Request
from sim.game.game import Limits
from sim.game.rounds import rounds
from sim.game.trace import Trace
from sim.runs.play import Play, begin, config_of, finish, identity
from sim.runs.teams import AgentSpec, Team
from tests.sim.worlds import tiny_task

SHAPES: tuple[dict[str, Any], ...] = (
    {"num_agents": 2, "num_participants": 2, "num_slots": 3, "num_meetings": 3, "density": 1.0},
    {"num_agents": 3, "num_participants": 2, "num_slots": 6, "num_meetings": 3},
    {"num_agents": 4, "num_participants": 3, "num_slots": 12, "num_meetings": 6, "density": 0.9},
    {"num_agents": 5, "num_participants": 5, "num_slots": 5, "num_meetings": 4, "density": 0.3},
    {"num_agents": 3, "num_participants": 2, "num_slots": 12, "num_meetings": 3, "prior_meetings": 1},
    {"num_agents": 3, "num_participants": 2, "num_slots": 6, "num_meetings": 3, "density": 0.3, "prior_meetings": 2},
)


ODD = (None, True, -1, 2**62, 3.0, "3", "", [], {}, "x\n y\u2028z", 99)


class Reckless:
    """An agent that says and does anything, sensible or not."""

    def __init__(self, rng: Random) -> None:
        self.rng, self.agents = rng, 0

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


def reckless_game(seed: int) -> Trace:
    rng = Random(seed)
    task = tiny_task(seed, "varied", **SHAPES[seed % len(SHAPES)])
    limits = Limits(
        max_turns_per_round=rng.choice((1, 3, 15)),
        decision_retries=rng.choice((0, 1, 3)),
        dm_cap=rng.choice((None, 0, 9)),
        channels=rng.choice((("dm",), ("dm", "participant_groupchat", "all_groupchat"))),
    )
    play = Play(task, Team("reckless", (AgentSpec("imap"),)), limits)
    agents = [Reckless(Random(f"{seed}:{a}")) for a in range(task.num_agents)]
    config = config_of(play)
    game = begin(play, agents, identity(config))
    turns = rounds(game)
    try:
        agent, request = next(turns)
        while True:
            agent, request = turns.send(agents[agent].act(request))
    except StopIteration:
        return finish(play, game, agents, config, None)
