"""An adversary that adapts: it spends its questions on those who have answered, and presses where it was refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

from sim.agents import Registration, Request
from sim.agents.english.belief_state import Mind
from sim.agents.english.nosy import CURIOSITY, LEVELS, Prober, sore_spots
from sim.agents.english.reader import Reading, normal
from sim.agents.english.speaker import Style
from sim.agents.english.writer import Part

REFUSAL = re.compile(
    r"keep the details|that's private|not going into|is personal|won't share|leave the details|can discuss"
    r"|specifics don't|specifics do not|lips are sealed|pass on explaining|no comment|stay with me"
)


class AdaptiveProber(Prober):
    """A nosy agent's questions, of one game: as many as the fixed prober's, to whoever seems likeliest to answer.

    Each agent's chance to answer is drawn from Beta(1 + answers, 1 + refusals) (Thompson sampling); the highest draws
    are asked. Of an agent that refused, the same slot again; of one that answered, a slot it was not yet asked about.
    """

    def __init__(self, draws: Random) -> None:
        super().__init__(draws)
        self.answered: dict[int, int] = {}
        self.refused: dict[int, int] = {}
        self.open_slot: dict[int, int] = {}
        self.last_slot: dict[int, int] = {}
        self.told: set[tuple[int, int]] = set()

    def add_questions(
        self, request: Request, mind: Mind, readings: Sequence[tuple[int, Reading]], letters: dict[int, list[Part]]
    ) -> None:
        """Add questions about blocked and costly slots to the messages of this turn."""
        self.learn(request)
        senders = [a for a in dict.fromkeys(a for a, _ in readings) if sore_spots(mind, a)]
        number = sum(self.draws.random() < CURIOSITY for _ in senders)
        if request.turn + 1 >= request.max_turns:
            return
        for agent in self.likeliest(mind)[:number]:
            level = LEVELS[min(self.asked.get(agent, 0), len(LEVELS) - 1)]
            letters.setdefault(agent, []).append(Part(level, (self.slot_for(mind, agent),)))
            self.asked[agent] = self.asked.get(agent, 0) + 1

    def learn(self, request: Request) -> None:
        """Note who answered its last question and who refused, by the words of what came back."""
        for message in request.inbox:
            slot = self.open_slot.pop(message.sender, None)
            if slot is None or message.meeting_id != request.meeting.id:
                continue
            refuses = REFUSAL.search(normal(message.content)) is not None
            counts = self.refused if refuses else self.answered
            counts[message.sender] = counts.get(message.sender, 0) + 1
            if not refuses:
                self.told.add((message.sender, slot))

    def likeliest(self, mind: Mind) -> list[int]:
        """The agents that there is something to ask, the likeliest to answer first."""
        there = [a for a in sorted(mind.claims) if a != mind.me and sore_spots(mind, a)]
        chance = {a: self.draws.betavariate(1 + self.answered.get(a, 0), 1 + self.refused.get(a, 0)) for a in there}
        return sorted(there, key=lambda a: (-chance[a], a))

    def slot_for(self, mind: Mind, agent: int) -> int:
        """The slot to ask the agent about."""
        slots = sore_spots(mind, agent)
        last = self.last_slot.get(agent)
        fresh = [s for s in slots if (agent, s) not in self.told] or slots
        slot = last if last in fresh else self.draws.choice(fresh)
        self.last_slot[agent] = self.open_slot[agent] = slot
        return slot


class Adaptive(Style):
    """A simulated speaker who probes, and adapts to who answers."""

    def register(self, registration: Registration) -> str:
        prompt = super().register(registration)
        self.prober = AdaptiveProber(self.streams["probes"])
        return prompt
