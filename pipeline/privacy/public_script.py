"""The public benchmark's script as a whole: which messages it reads, and what its observers believe in the end."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import polars as pl

from pipeline.privacy.english_release import VALUES, release_hints
from pipeline.privacy.rules import PUBLIC_SCRIPT, SCRIPT_WEIGHING, EvidenceRun
from pipeline.traces.typed_messages import TypedContent

# Of typed messages the script knows these protocols, and of their kinds those of Table 10. Other JSON is English to it.
PROTOCOLS = ("dsm", "imap", "sd")
SOURCES = {
    *("imap_costs", "imap_decision", "sd_propose", "sd_reply", "sd_propose_reschedule", "sd_reschedule_reply"),
    *("dsm_proposals", "dsm_scores", "dsm_decision"),
}


class GameFacts(NamedTuple):
    """What the reading of a game's messages needs of it; of an unknown game nothing is known."""

    setting: str | None = None
    num_agents: int = 0
    num_slots: int | None = None


class Sent(NamedTuple):
    """A message as it was sent, decoded where it is typed. direct: whether it went to one agent alone."""

    content: str
    typed: TypedContent | None
    direct: bool
    sender: int
    recipients: Sequence[int]

    @property
    def is_script_typed(self) -> bool:
        """Whether the script reads it as a typed message that tells something."""
        return self.direct and self.typed is not None and self.typed.source in SOURCES

    @property
    def is_script_english(self) -> bool:
        """Whether the script reads it as English."""
        return self.direct and (self.typed is None or self.typed.protocol not in PROTOCOLS)


class ScriptBeliefs:
    """Beliefs as the script has them, message by message, by round, target, observer and slot.

    A round is given by any number of its own. Where nothing was told of a slot, its belief is the prior.
    """

    def __init__(self) -> None:
        self.beliefs: dict[tuple[int, int, int, int], float] = {}

    def read(self, number: int, message: Sent, typed_runs: Iterable[EvidenceRun], facts: GameFacts) -> int:
        """Update the beliefs of a round by a message. Returns how many updates there were.

        typed_runs: what it tells by the rules of its protocol.
        """
        updates: list[tuple[int, int | None, float, float]] = []
        if message.is_script_typed:
            for target, source, _, slots, _ in typed_runs:
                strength = PUBLIC_SCRIPT.typed(source)
                updates += [(target, slot, evidence, strength) for slot, evidence in slots]
        elif message.is_script_english:
            who = message.sender, message.recipients[0], facts.num_agents, facts.num_slots
            for hint in release_hints(message.content, *who):
                updates += [(hint.target, slot, *VALUES[hint.source]) for slot in hint.slots]
        self._update(number, message.recipients[0], updates, facts.num_slots or 0)
        return len(updates)

    def _update(
        self, number: int, observer: int, updates: Iterable[tuple[int, int | None, float, float]], num_slots: int
    ) -> None:
        """b ← (1 − s)·b + s·e for each (target, slot, e, s); a slot outside the calendar changes nothing."""
        beliefs = self.beliefs
        for target, slot, evidence, strength in updates:
            if slot is not None and 0 <= slot < num_slots:
                belief = number, target, observer, slot
                before = beliefs.get(belief, SCRIPT_WEIGHING.prior)
                beliefs[belief] = (1.0 - strength) * before + strength * evidence

    def frame(self) -> pl.DataFrame:
        """One row per belief that was told of: the round's number, target_agent, observer_agent, slot, belief_after."""
        columns = list(zip(*self.beliefs, strict=True)) or [()] * 4
        names = ("number", "target_agent", "observer_agent", "slot")
        keys = {name: pl.Series(values, dtype=pl.Int64) for name, values in zip(names, columns, strict=True)}
        return pl.DataFrame(keys | {"belief_after": pl.Series(self.beliefs.values(), dtype=pl.Float64)})
