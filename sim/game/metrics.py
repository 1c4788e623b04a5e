"""What a finished game adds up to: the trace's final_state and metrics (paper, section 4 and Appendix D.6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sim.game.game import Game
from sim.game.talk import CHANNELS
from sim.tasks.suite import Task


def final_state(game: Game, task: Task, summaries: Sequence[Any]) -> dict[str, Any]:
    """The calendars at the end, and what each agent paid, said and kept; lists run over agents."""
    oracle = task.optimal.per_agent_cost
    return {
        "calendars": [c.slots for c in game.calendars],
        "per_agent_cost": list(game.paid),
        "oracle_per_agent_cost": list(oracle),
        "per_agent_excess_burden": [paid - due for paid, due in zip(game.paid, oracle, strict=True)],
        "per_agent_messages_sent": list(game.sent),
        "per_agent_messages_received": list(game.received),
        "total_displacement_cost": sum(game.paid),
        "rounds_succeeded": len(game.coordinated),
        "rounds_failed": len(game.failed),
        "messages": game.messages,
        "consistency_violations": len(game.violations),
        "agent_summaries": list(summaries),
    }


def metrics(game: Game, task: Task) -> dict[str, Any]:
    """The game's row of Table 1, without VPS; costs in cost units, None where a ratio is undefined."""
    realized, scheduled = sum(game.paid), len(game.coordinated)
    by_channel = {c: [e for e in game.events if e.type == f"{c}_sent"] for c in CHANNELS}
    dms = by_channel["dm"]
    return {
        "coordination_rate": scheduled / len(game.meetings),
        "meetings_scheduled": scheduled,
        "meetings_kept": sum(game.consistent(m) for m in game.coordinated),
        "realized_cost": realized,
        "optimal_cost": task.optimal.cost,
        "greedy_cost": task.greedy.cost,
        "excess_cost": realized - task.optimal.cost,
        "cost_vs_optimal": realized / task.optimal.cost if task.optimal.cost else None,
        "cost_vs_greedy": realized / task.greedy.cost if task.greedy.cost else None,
        "fairness": fairness(game.paid),
        "total_dms_sent": len(dms),
        "total_dm_chars": sum(e.data["content_chars"] for e in dms),
        "total_participant_groupchat_messages_sent": len(by_channel["participant_groupchat"]),
        "total_all_groupchat_messages_sent": len(by_channel["all_groupchat"]),
        "dms_per_meeting": len(dms) / scheduled if scheduled else None,
    }


def fairness(per_agent_cost: Sequence[int]) -> float:
    """Least over largest cost of an agent; 1 when nobody paid anything (paper, section 3)."""
    return min(per_agent_cost) / max(per_agent_cost) if max(per_agent_cost) else 1.0
