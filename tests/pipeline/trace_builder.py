"""Tiny traces, made by hand: three agents, four slots, events added one by one."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import zstandard

FREE = "[FREE]"


def rendering(*items: str) -> str:
    return "\n".join(f"Slot {slot:2d}: {item}" for slot, item in enumerate(items))


CALENDARS = (
    rendering("Errand #1 (cost=4)", FREE, "Blocked Errand #2 (cost=1)", FREE),
    rendering(FREE, "Errand #5 (cost=100)", FREE, FREE),
    rendering(FREE, FREE, FREE, FREE),
)


class TraceBuilder:
    """A trace that grows by one event a call; `text()` is its JSON."""

    def __init__(self, game_id: str = "game-1", calendars: tuple[str, ...] = CALENDARS, **config: Any) -> None:
        self.content: dict[str, Any] = {
            "game_id": game_id,
            "config": {"team": "toy", "setting": "uniform", "condition": "standard", "task_id": "t1", **config},
            "events": [],
            "final_state": {},
            "metrics": {},
            "stopped": False,
        }
        self.event("game_start", num_agents=3, num_slots=4, optimal_cost=1, greedy_cost=9, round=-1)
        for agent, calendar in enumerate(calendars):
            self.event("agent_registered", agent_id=agent, calendar_render=calendar, agent_type="toy")

    def event(self, kind: str, **data: Any) -> "TraceBuilder":
        self.content["events"].append({"type": kind, "data": data})
        return self

    def round(self, number: int, participants: tuple[int, ...] = (0, 1)) -> "TraceBuilder":
        meeting = {"id": number + 1, "participants": list(participants), "cost": 1}
        return self.event("round_start", round=number, meeting=meeting)

    def rendered(self, number: int, agent: int, calendar: str) -> "TraceBuilder":
        return self.event("turn_start", round=number, agent_id=agent, calendar_render=calendar)

    def dm(self, number: int, sender: int, recipient: int, content: Any) -> "TraceBuilder":
        text = content if isinstance(content, str) else json.dumps(content)
        return self.event("dm_sent", round=number, turn=0, from_agent=sender, to_agent=recipient, content=text)

    def group(self, number: int, sender: int, recipients: list[int], content: Any) -> "TraceBuilder":
        told = {"from_agent": sender, "to_agents": recipients, "content": json.dumps(content)}
        return self.event("all_groupchat_sent", round=number, turn=0, **told)

    def batch(self, number: int, agent: int, *actions: dict[str, Any]) -> "TraceBuilder":
        return self.event("batch_applied", round=number, phase="DECISION", agent_id=agent, actions=list(actions))

    def resolution(
        self, number: int, coordinated: bool, violated: Sequence[int] = (), blocked: Sequence[int] = (), **slots: Any
    ) -> "TraceBuilder":
        """violated: earlier meetings; blocked: agents whose blocked slot was touched; a0, a1, …: an agent's slot."""
        placed = {agent.removeprefix("a"): slot for agent, slot in slots.items()}
        found = {"consistency_violated_meeting_ids": violated, "blocked_slot_violations": blocked}
        found = {name: who for name, who in found.items() if who}
        return self.event("resolution", round=number, coordinated=coordinated, per_agent_slot=placed, **found)

    def text(self) -> bytes:
        return json.dumps(self.content).encode()


def schedule(meeting: int, slot: int) -> dict[str, Any]:
    return {"type": "schedule", "meeting_id": meeting, "slot": slot, "cost": 1}


def reschedule(item: int, source: int, target: int) -> dict[str, Any]:
    return {"type": "reschedule", "item_id": item, "from_slot": source, "to_slot": target}


def toy_game(game_id: str = "game-1", **config: Any) -> TraceBuilder:
    """Two rounds: agent 0 moves an errand of cost 4 for the first meeting, and the second fails."""
    return (
        TraceBuilder(game_id, **config)
        .round(0)
        .rendered(0, 1, CALENDARS[1])
        .dm(0, 0, 1, {"imap": "cost_request", "meeting_id": 1, "slots": [0, 1, 2]})
        .dm(0, 1, 0, {"imap": "costs", "meeting_id": 1, "costs": {"0": 0, "1": 100, "2": None}})
        .dm(0, 0, 1, {"imap": "decision", "meeting_id": 1, "slot": 0})
        .batch(0, 0, reschedule(1, 0, 1), schedule(1, 0))
        .batch(0, 1, schedule(1, 0))
        .resolution(0, True, a0=0, a1=0)
        .round(1, (1, 2))
        .dm(1, 1, 2, "Slot 3 works for me.")
        .batch(1, 1, schedule(2, 3))
        .batch(1, 2, schedule(2, 2))
        .resolution(1, False, a1=3, a2=2)
    )


def write_trace(path: Path, text: bytes) -> Path:
    """Write the text as the path's suffix asks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.name.endswith(".gz"):
        text = gzip.compress(text)
    elif path.name.endswith(".zst"):
        text = zstandard.ZstdCompressor().compress(text)
    path.write_bytes(text)
    return path
