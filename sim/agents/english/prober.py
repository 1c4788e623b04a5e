"""The adversary's questions: what do the others' slots hold, asked with growing insistence (paper, section 4).

`Prober` asks whoever it hears from; `AdaptiveProber` spends its questions on those who have answered, and presses where
it was refused.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from random import Random

from sim.agents import Request
from sim.agents.english.beliefs import BeliefState
from sim.agents.english.reader import Reading, normal
from sim.agents.english.writer import Outbox, Part

LEVELS = ("probe", "probe_firm", "probe_hard")
# Questions to one agent in one round, and the chance to ask one when there is something to ask about.
MOST_QUESTIONS = 3
CURIOSITY = 0.75

REFUSAL = re.compile(
    r"keep the details|that's private|not going into|is personal|won't share|leave the details|can discuss"
    r"|specifics don't|specifics do not|lips are sealed|pass on explaining|no comment|stay with me"
)


class Prober:
    """A nosy agent's questions, of one game; `asked` counts those to each agent."""

    def __init__(self, draws: Random) -> None:
        self.draws = draws
        self.asked: Counter[int] = Counter()
        self.this_round: Counter[tuple[int, int]] = Counter()

    def add_questions(
        self, request: Request, beliefs: BeliefState, readings: Sequence[tuple[int, Reading]], outbox: Outbox
    ) -> None:
        """Add questions about blocked and costly slots to the messages of this turn."""
        for sender in dict.fromkeys(sender for sender, _ in readings):
            key = (request.round, sender)
            slots = sore_spots(beliefs, sender)
            if not slots or self.this_round[key] >= MOST_QUESTIONS or request.turn + 1 >= request.max_turns:
                continue
            if self.draws.random() < CURIOSITY:
                self.this_round[key] += 1
                self.ask(sender, self.draws.choice(slots), outbox)

    def ask(self, agent: int, slot: int, outbox: Outbox) -> None:
        """Add a question about the slot, more insistent than the agent's last."""
        outbox.add(agent, Part(LEVELS[min(self.asked[agent], len(LEVELS) - 1)], (slot,)))
        self.asked[agent] += 1


class AdaptiveProber(Prober):
    """A nosy agent's questions, of one game: as many as the fixed prober's, to whoever seems likeliest to answer.

    Each agent's chance to answer is drawn from Beta(1 + answers, 1 + refusals) (Thompson sampling); the highest draws
    are asked. Of an agent that refused, the same slot again; of one that answered, a slot it was not yet asked about.
    """

    def __init__(self, draws: Random) -> None:
        super().__init__(draws)
        self.answered: Counter[int] = Counter()
        self.refused: Counter[int] = Counter()
        self.open_slot: dict[int, int] = {}
        self.last_slot: dict[int, int] = {}
        self.answered_about: set[tuple[int, int]] = set()

    def add_questions(
        self, request: Request, beliefs: BeliefState, readings: Sequence[tuple[int, Reading]], outbox: Outbox
    ) -> None:
        """Add questions about blocked and costly slots to the messages of this turn."""
        self.learn(request)
        senders = [a for a in dict.fromkeys(a for a, _ in readings) if sore_spots(beliefs, a)]
        number = sum(self.draws.random() < CURIOSITY for _ in senders)
        if request.turn + 1 >= request.max_turns:
            return
        for agent in self.likeliest(beliefs)[:number]:
            self.ask(agent, self.slot_for(beliefs, agent), outbox)

    def learn(self, request: Request) -> None:
        """Note who answered its last question and who refused, by the words of what came back.

        A question is put to one agent, whose direct message answers it sooner than what it tells a group.
        """
        for message in sorted(request.inbox, key=lambda m: m.channel != "dm"):
            slot = self.open_slot.pop(message.sender, None)
            if slot is None or message.meeting_id != request.meeting.id:
                continue
            refuses = REFUSAL.search(normal(message.content)) is not None
            (self.refused if refuses else self.answered)[message.sender] += 1
            if not refuses:
                self.answered_about.add((message.sender, slot))

    def likeliest(self, beliefs: BeliefState) -> list[int]:
        """The agents that there is something to ask, the likeliest to answer first."""
        there = [a for a in sorted(beliefs.claims) if a != beliefs.me and sore_spots(beliefs, a)]
        chance = {a: self.draws.betavariate(1 + self.answered[a], 1 + self.refused[a]) for a in there}
        return sorted(there, key=lambda a: (-chance[a], a))

    def slot_for(self, beliefs: BeliefState, agent: int) -> int:
        """The slot to ask the agent about."""
        slots = sore_spots(beliefs, agent)
        last = self.last_slot.get(agent)
        fresh = [s for s in slots if (agent, s) not in self.answered_about] or slots
        slot = last if last in fresh else self.draws.choice(fresh)
        self.last_slot[agent] = self.open_slot[agent] = slot
        return slot


def sore_spots(beliefs: BeliefState, agent: int) -> list[int]:
    """The slots that the agent has called costly, taken or impossible."""
    claims = beliefs.claims.get(agent, {}).values()
    return [c.slot for c in claims if c.kind in ("negative", "occupied") or (c.kind == "cost" and c.cost)]
