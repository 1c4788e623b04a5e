"""Tiny games as derived tables: agents' slots, what they say to each other, where meetings end up."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from pipeline.tables.io import polars_schema
from pipeline.tables.schemas.base import TABLES

BLOCKED = "blocked"
Slot = int | str  # 0 free, the cost of an errand, or BLOCKED

SETTINGS: dict[str, Any] = {
    "feasible": 0.5,
    "filled": 0.75,
    "costs": {"uniform": {1: 1}, "varied": {1: 14, 100: 11, 1000: 11}},
    "least": 2**-10,
    "pairs_up_to": 8,
    "sensitivity": {"feasible": [0.5, 0.8], "filled": [0.75]},
}
# Evidence and strength of English claims, by H.3 and the study's margin.
CLAIMS = {"positive": (0.95, 1.0), "negative": (0.05, 1.0), "occupied": (0.25, 0.5), "proposal": (0.95, 0.25)}


@dataclass
class Game:
    """A game that grows: calendars (slots by agent), then what is said and where meetings go, round by round."""

    calendars: Sequence[Sequence[Slot]]
    setting: str = "uniform"
    name: str = "g"
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for agent, calendar in enumerate(self.calendars):
            for slot, held in enumerate(calendar):
                if held != 0:
                    cost = 1 if held == BLOCKED else held
                    number = agent * len(calendar) + slot + 1
                    self._add("items", agent=agent, slot=slot, item_kind="errand", item_id=number, cost=cost,
                              blocked=held == BLOCKED)  # fmt: skip

    def _add(self, table: str, **row: Any) -> "Game":
        self.rows.setdefault(table, []).append({"game_id": self.name, **row})
        return self

    def _next(self) -> int:
        return sum(map(len, self.rows.values()))

    def typed(self, number: int, sender: int, *recipients: int, **body: Any) -> "Game":
        """A protocol's message: its first key is the protocol, whose value is the kind."""
        return self._add("messages", round=number, event_index=self._next(), from_agent=sender,
                         to_agents=list(recipients), content=json.dumps(body), typed=next(iter(body)))  # fmt: skip

    def claimed(self, number: int, observer: int, target: int, slot: int, claim: str) -> "Game":
        """What a message in English claims to an observer of a target."""
        evidence, strength = CLAIMS[claim]
        return self._add("belief_evidence", round=number, event_index=self._next(), update_index=0, slot=slot,
                         observer_agent=observer, target_agent=target, source=f"language_{claim}",
                         evidence=evidence, strength=strength, in_calendar=True)  # fmt: skip

    def moved(self, number: int, agent: int, source: int, target: int) -> "Game":
        """An errand of an agent, moved."""
        return self._add("moves", round=number, event_index=self._next(), action_index=0, agent=agent,
                         from_slot=source, to_slot=target, item_kind="errand")  # fmt: skip

    def ended(self, number: int, slots: Mapping[int, int]) -> "Game":
        """A round's end: participant → where it put the round's meeting."""
        members, places = sorted(slots), [slots[a] for a in sorted(slots)]
        agreed = len(set(places)) == 1
        return self._add("rounds", round=number, meeting_id=number + 1, participants=members,
                         participant_slots=places, coordinated=agreed, slot=places[0] if agreed else None)  # fmt: skip

    def tables(self) -> dict[str, pl.DataFrame]:
        """The derived tables that leakage is measured from."""
        self.rows["games"] = []
        self._add("games", team="toy", simulated=False, setting=self.setting, condition="standard", task_id="t",
                  num_agents=len(self.calendars), num_slots=len(self.calendars[0]),
                  rounds=len(self.rows.get("rounds", [])))  # fmt: skip
        names = ("games", "rounds", "items", "moves", "messages", "belief_evidence", "game_summary")
        return {name: pl.DataFrame(self.rows.get(name, []), schema=polars_schema(TABLES[name])) for name in names}
