"""The adversary's questions: what do the others' slots hold, asked with growing insistence (paper, section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from sim.agents import Request
from sim.agents.english.belief_state import Mind
from sim.agents.english.reader import Reading
from sim.agents.english.writer import Part

LEVELS = ("probe", "probe_firm", "probe_hard")
# Questions to one agent in one round, and the chance to ask one when there is something to ask about.
MOST_QUESTIONS = 3
CURIOSITY = 0.75


class Prober:
    """A nosy agent's questions, of one game; `asked` counts those to each agent."""

    def __init__(self, draws: Random) -> None:
        self.draws = draws
        self.asked: dict[int, int] = {}
        self.this_round: dict[tuple[int, int], int] = {}

    def add_questions(
        self, request: Request, mind: Mind, readings: Sequence[tuple[int, Reading]], letters: dict[int, list[Part]]
    ) -> None:
        """Add questions about blocked and costly slots to the messages of this turn."""
        for sender in dict.fromkeys(sender for sender, _ in readings):
            key = (request.round, sender)
            slots = sore_spots(mind, sender)
            if not slots or self.this_round.get(key, 0) >= MOST_QUESTIONS or request.turn + 1 >= request.max_turns:
                continue
            if self.draws.random() >= CURIOSITY:
                continue
            level = LEVELS[min(self.asked.get(sender, 0), len(LEVELS) - 1)]
            letters.setdefault(sender, []).append(Part(level, (self.draws.choice(slots),)))
            self.this_round[key] = self.this_round.get(key, 0) + 1
            self.asked[sender] = self.asked.get(sender, 0) + 1


def sore_spots(mind: Mind, agent: int) -> list[int]:
    """The slots that the agent has called costly, taken or impossible."""
    said = mind.claims.get(agent, {}).values()
    return [c.slot for c in said if c.kind in ("negative", "occupied") or (c.kind == "cost" and c.cost)]
